import { navigation, routeContextNow, useRouteContext } from "@/lib/navigation";
import { currentPanelSurface } from "./right_panel";
import { focusMain } from "@/lib/main_region";
import { createStore, useStore } from "@/lib/store";
import { isCompactNow } from "@/lib/viewport";

/** The least width of each of two pages side by side, in pixels. */
export const kPaneMin = 320;

/** The instance of slots in the split, which tells them from those of the page. */
export const kSplitInstance = "split";

/** A plugin's page, as its address names it. */
export interface SplitPage {
  readonly pluginId: string;
  readonly path: string;
  /** Decoded. */
  readonly subPath: string;
}

export interface SplitThread {
  readonly threadId: string;
}

/** What stands in the split. */
export type SplitContent = SplitPage | SplitThread;

export interface SplitState {
  readonly page: SplitContent | null;
  /** Pixels; null for the half. */
  readonly width: number | null;
}

const kStorageKey = "svc.split";

function isContent(value: unknown): value is SplitContent {
  const { pluginId, path, subPath, threadId } = (value ?? {}) as Record<string, unknown>;
  return typeof threadId === "string" || (typeof pluginId === "string" && typeof path === "string" && typeof subPath === "string");
}

function restored(): SplitState {
  let kept: { page?: unknown; width?: unknown } = {};
  try {
    kept = (JSON.parse(sessionStorage.getItem(kStorageKey) ?? "{}") as typeof kept | null) ?? {};
  } catch {
    // Not ours, or not readable: no split.
  }
  return {
    page: isContent(kept.page) ? kept.page : null,
    width: typeof kept.width === "number" && Number.isFinite(kept.width) ? kept.width : null,
  };
}

const state = createStore<SplitState>(restored());
/** Pixels for both pages; 0 before they were measured. */
const room = createStore(0);
/** Where the focus was when the split opened. */
let opener: HTMLElement | null = null;
let wantsFocus = false;

function change(next: Partial<SplitState>): void {
  state.update((current) => ({ ...current, ...next }));
  try {
    // Of this tab, as the address that it stands beside.
    sessionStorage.setItem(kStorageKey, JSON.stringify(state.get()));
  } catch {
    // Holds until the tab closes.
  }
}

/** Whether two pages fit beside each other. */
function hasRoom(width: number): boolean {
  return !isCompactNow() && (width === 0 || width >= 2 * kPaneMin);
}

/** To what the split shows, as the page of the address. */
function go(content: SplitContent): void {
  if ("threadId" in content) {
    navigation.toThread(content.threadId);
  } else {
    navigation.toPluginPanel(content.pluginId, content.path, { subPath: content.subPath });
  }
}

function isThread(content: SplitContent, threadId: string | null): boolean {
  return "threadId" in content && content.threadId === threadId;
}

function openBeside(page: SplitContent): void {
  if (!hasRoom(room.get())) {
    go(page);
    return;
  }
  // Beside itself, a thread would have its draft in two composers, and either could send it.
  if (isThread(page, routeContextNow().threadId)) {
    focusMain();
    return;
  }
  opener = document.activeElement instanceof HTMLElement ? document.activeElement : null;
  wantsFocus = true;
  // A third column would leave none of them enough.
  currentPanelSurface()?.setOpen(false);
  change({ page });
}

export const split = {
  now: state.get,
  setRoom: (width: number) => room.set(Math.round(width)),
  setWidth: (width: number | null) => change({ width: width === null ? null : clampSplitWidth(width, room.get()) }),

  /** Shows a plugin's page beside the one of the address; instead of it where there is no room. */
  open: (pluginId: string, path: string, subPath = "") => openBeside({ pluginId, path, subPath }),
  /** As `open`, for a thread. */
  openThread: (threadId: string) => openBeside({ threadId }),
  /** What a page in the split does to its own address. */
  show: (pluginId: string, path: string, subPath = "") => change({ page: { pluginId, path, subPath } }),
  close(): void {
    change({ page: null });
    const target = opener;
    opener = null;
    if (target?.isConnected) {
      target.focus();
    } else {
      focusMain();
    }
  },
  /** Whether the thread can be seen in it. */
  showsThread(threadId: string): boolean {
    const { page } = state.get();
    return page !== null && isThread(page, threadId) && hasRoom(room.get());
  },
  /** Makes its page the one of the address. */
  promote(): void {
    const { page } = state.get();
    if (page !== null) {
      change({ page: null });
      opener = null;
      go(page);
    }
  },
  /** True once after each opening: a split that a reload restores does not take the focus. */
  takeFocus(): boolean {
    const wanted = wantsFocus;
    wantsFocus = false;
    return wanted;
  },
};

export function clampSplitWidth(width: number, area: number): number {
  const max = area === 0 ? Number.POSITIVE_INFINITY : Math.max(kPaneMin, area - kPaneMin);
  return Math.round(Math.min(max, Math.max(kPaneMin, width)));
}

/** Pixels for both pages; 0 before they were measured. */
export const useSplitRoom = (): number => useStore(room);

export interface ShownSplit {
  readonly page: SplitContent;
  readonly width: number;
  readonly maxWidth: number;
}

/** Null while there is none, no room for it, or its thread is the page: it comes back when that is over. */
export function useShownSplit(isCompact: boolean): ShownSplit | null {
  const { page, width } = useStore(state);
  const area = useStore(room);
  const { threadId } = useRouteContext();
  if (page === null || isCompact || !hasRoom(area) || isThread(page, threadId)) {
    return null;
  }
  const half = area === 0 ? kPaneMin : area / 2;
  return { page, width: clampSplitWidth(width ?? half, area), maxWidth: clampSplitWidth(Number.MAX_SAFE_INTEGER, area || 2 * kPaneMin) };
}
