import type { ComponentType, ReactNode } from "react";

import type { JsonValue } from "#sdk/json.js";

import type { ActivePlugin } from "@/plugins/registry";
import type { SurfaceContext } from "@/plugins/slot_mount";

/** A tab that is always there. */
export interface FixedTab {
  /** As `fixedTabId` gives it. */
  readonly id: string;
  readonly plugin: ActivePlugin;
  readonly slot: string;
  readonly slotId: string;
  readonly title: string;
  readonly icon: string;
  readonly layout: "padded" | "flush";
  readonly component: ComponentType<{ subPath: string }>;
  readonly props: { subPath: string };
}

/** What an action's tabs show, and its row in the launcher. */
export interface LauncherAction {
  readonly plugin: ActivePlugin;
  readonly slot: string;
  readonly id: string;
  readonly title: string;
  readonly icon: string | undefined;
  readonly layout: "padded" | "flush";
  readonly component: ComponentType<object>;
  propsOf(params: JsonValue): object;
  /** From the launcher: opens a tab, or what the plugin does instead. */
  launch(): void;
}

/** A kind of tabs that the window brings itself; they fill the panel. */
export interface OwnAction {
  readonly id: string;
  readonly title: string;
  readonly icon: string;
  render(params: JsonValue): ReactNode;
  /** From the launcher: opens a tab of `kOwnPanel`; without, something else opens its tabs. */
  launch?(): void;
}

/** What the right panel of a page can show. */
export interface PanelContent {
  readonly fixedTabs: readonly FixedTab[];
  readonly actions: readonly LauncherAction[];
  readonly own?: readonly OwnAction[];
  readonly context: SurfaceContext;
}
