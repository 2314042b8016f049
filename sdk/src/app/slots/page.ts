// Pages of a plugin and parts of the window's own pages.
import type { PluginIconName } from "../icons.js";
import type { ComponentType } from "../react.js";
import type { PluginPanelLayout } from "./panel.js";

export interface PluginNavPanelProps {
  /** What follows the panel's path, without a leading slash; `""` at the root. */
  subPath: string;
}

export interface FixedTabRegistration {
  /** The id of the panel that holds the tab; older entries leave it out. */
  panelId?: string;
  id: string;
  title: string;
  icon: PluginIconName;
  component: ComponentType<PluginNavPanelProps>;
  layout?: PluginPanelLayout;
  /** Guards the targets that `experimental_useAppPanel().open` hands over. They live in memory only. */
  experimental_target?: { validate(value: unknown): boolean };
}

export interface NavPanelRegistration {
  id: string;
  /** Text of the sidebar row and of the title bar. */
  title: string;
  icon: PluginIconName;
  /** The page is `/plugins/<id>/<path>/*`. Letters, digits, `-` and `_`; unique in the plugin. */
  path: string;
  component: ComponentType<PluginNavPanelProps>;
  /** At the right of the shared title bar. */
  headerContent?: ComponentType<PluginNavPanelProps>;
  /** In the sidebar row: one line, at most 4 × 1.25 rem. Not mounted on compact viewports. */
  experimental_sidebarAccessory?: ComponentType;
  /** Tabs of the right panel that cannot be closed, in order. The first one opens on the first wide visit. */
  fixedTabs?: readonly FixedTabRegistration[];
}

export interface PluginHomepageSectionProps {
  projectId: string | null;
}

export interface HomepageSectionRegistration {
  id: string;
  title: string;
  component: ComponentType<PluginHomepageSectionProps>;
}

export type PluginSettingsSectionProps = {};

export interface SettingsSectionRegistration {
  id: string;
  title?: string;
  /** Needs `title`. */
  description?: string;
  component: ComponentType<PluginSettingsSectionProps>;
  /** Accepted, without effect. */
  experimental_page?: unknown;
}

export interface AppOverlayRegistration {
  id: string;
  component: ComponentType;
}
