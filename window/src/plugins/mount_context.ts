import { createContext } from "react";

import type { PanelSurface } from "./right_panel";

import type { ActivePlugin } from "./types";

export { reportPluginFailure } from "./failures";
export type { FailurePhase } from "./types";

/** Where in the window a slot is mounted. */
export interface SurfaceContext {
  readonly projectId: string | null;
  readonly threadId: string | null;
  /** The composer of this surface. */
  readonly composerKey?: string;
  /** The right panel of this surface. */
  readonly panel?: PanelSurface;
  readonly isCompact?: boolean;
}

/** What the hooks of the SDK know about the mount they are called in. */
export interface PluginMount {
  readonly plugin: ActivePlugin;
  /** The name of the registration, for example `navPanel`. */
  readonly slot: string;
  readonly id: string;
  /** Where one slot mounts many times: message, pane, tab, composer. */
  readonly instanceId: string | null;
  readonly surface: SurfaceContext | null;
  /**
   * Hands over what this mount set elsewhere (an input lock, a text effect). `release` runs once: when the returned function is
   * called, when the mount ends or crashes, or at once when it has ended already.
   */
  own(release: () => void): () => void;
  /** Whether the mount was removed: what its code does now is of no use to anybody. */
  hasEnded(): boolean;
}

/** Null outside of a plugin mount. */
export const PluginMountContext = createContext<PluginMount | null>(null);
