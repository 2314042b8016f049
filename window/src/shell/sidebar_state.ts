import { createStore, useStore } from "@/lib/store";

/** `L:sidebar` — width in pixels. */
export const kSidebarMinWidth = 240;
export const kSidebarMaxWidth = 460;
export const kSidebarWidth = 320;

export interface SidebarState {
  readonly width: number;
  readonly isOpen: boolean;
  /** The drawer of compact viewports. */
  readonly isDrawerOpen: boolean;
}

const kStorageKey = "svc.sidebar";

export function clampSidebarWidth(width: number): number {
  return Number.isFinite(width) ? Math.round(Math.min(kSidebarMaxWidth, Math.max(kSidebarMinWidth, width))) : kSidebarWidth;
}

function restored(): SidebarState {
  let kept: { width?: unknown; isOpen?: unknown } = {};
  try {
    kept = (JSON.parse(sessionStorage.getItem(kStorageKey) ?? "{}") as typeof kept | null) ?? {};
  } catch {
    // Not ours, or not readable: the defaults do.
  }
  return {
    width: clampSidebarWidth(typeof kept.width === "number" ? kept.width : kSidebarWidth),
    isOpen: kept.isOpen !== false,
    isDrawerOpen: false,
  };
}

const state = createStore<SidebarState>(restored());

function change(next: Partial<SidebarState>): void {
  state.update((current) => ({ ...current, ...next }));
  const { width, isOpen } = state.get();
  try {
    // Of this tab: two windows side by side have each their own width.
    sessionStorage.setItem(kStorageKey, JSON.stringify({ width, isOpen }));
  } catch {
    // Holds until the tab closes.
  }
}

export const sidebar = {
  now: state.get,
  setWidth: (width: number) => change({ width: clampSidebarWidth(width) }),
  setOpen: (isOpen: boolean) => change({ isOpen }),
  setDrawerOpen: (isDrawerOpen: boolean) => change({ isDrawerOpen }),
  /** Shows or hides it in the form that the viewport has. */
  toggle(isCompact: boolean) {
    const { isOpen, isDrawerOpen } = state.get();
    change(isCompact ? { isDrawerOpen: !isDrawerOpen } : { isOpen: !isOpen });
  },
};

export function useSidebar(): SidebarState {
  return useStore(state);
}
