// Pages of a plugin and parts of the window's own pages.
import type { PluginIconName } from "../icons.js";
import type { ComponentType } from "../react.js";
import type { PluginPanelLayout } from "./panel.js";

/** Props of the components of a page: its content, its header and its fixed tabs. */
export interface PluginNavPanelProps {
  /** What follows the panel's path, without a leading slash; `""` at the root. */
  subPath: string;
}

/** A tab of the right panel beside a plugin's page, which cannot be closed. */
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

/** A page of the plugin and its row in the sidebar, as `slots.navPanel` takes it. */
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

/** Props of a section of the new-thread page. */
export interface PluginHomepageSectionProps {
  /** The project that is chosen on the page. */
  projectId: string | null;
}

/** A section of the new-thread page, as `slots.homepageSection` takes it. */
export interface HomepageSectionRegistration {
  id: string;
  /** The heading; shown only while the component renders something. */
  title: string;
  component: ComponentType<PluginHomepageSectionProps>;
}

/** The component of a settings section gets no props. */
export type PluginSettingsSectionProps = {};

/** A section of the plugin's settings page, as `slots.settingsSection` takes it. */
export interface SettingsSectionRegistration {
  id: string;
  title?: string;
  /** Needs `title`. */
  description?: string;
  component: ComponentType<PluginSettingsSectionProps>;
  /** Accepted, without effect. */
  experimental_page?: unknown;
}

/** A component outside of the window's layout, as `slots.experimental_appOverlay` takes it. */
export interface AppOverlayRegistration {
  id: string;
  /** Gets no props; use hooks. It is mounted once per window. */
  component: ComponentType;
}
