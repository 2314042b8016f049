import type { PluginCommand } from "../app/commands.js";
import type {
  ComposerAction,
  ComposerBanner,
  ComposerCommand,
  ComposerMenuItem,
  ComposerRichTextSpec,
  ComposerTextEffect,
} from "../app/composer.js";
import type { PluginContentScriptRegistration } from "../app/content_scripts.js";
import type * as slots from "../app/slots.js";

/** A customization of which only what can be used is left. */
export interface CollectedCustomization {
  id: string;
  scopes: ("thread" | "queued-message" | "new-thread")[];
  actions: ComposerAction[];
  banners: Required<ComposerBanner>[];
  plusMenu: ComposerMenuItem[];
  richText: ComposerRichTextSpec & { effects: ComposerTextEffect[] };
}

/** What one `setup` registered: frozen copies with the fields this version knows, in registration order. */
export interface CollectedPluginApp {
  readonly navPanels: readonly slots.NavPanelRegistration[];
  readonly homepageSections: readonly slots.HomepageSectionRegistration[];
  readonly settingsSections: readonly slots.SettingsSectionRegistration[];
  readonly threadPanelActions: readonly slots.ThreadPanelActionRegistration[];
  readonly newThreadPanelActions: readonly slots.NewThreadPanelActionRegistration[];
  readonly threadHeaderActions: readonly slots.ThreadHeaderActionRegistration[];
  readonly threadLists: readonly slots.ThreadListRegistration[];
  readonly pendingInteractions: readonly slots.PendingInteractionRegistration[];
  readonly messageDirectives: readonly slots.MessageDirectiveRegistration[];
  readonly messageActions: readonly slots.MessageActionRegistration[];
  readonly sidebarFooterActions: readonly slots.SidebarFooterActionRegistration[];
  readonly sidebarFooters: readonly slots.SidebarFooterRegistration[];
  readonly fileOpeners: readonly slots.FileOpenerRegistration[];
  readonly sidebarNavigations: readonly slots.SidebarNavigationRegistration[];
  readonly sidebarHeaders: readonly slots.SidebarHeaderRegistration[];
  readonly sourceCodeRenderers: readonly slots.SourceCodeRendererRegistration[];
  readonly diffRenderers: readonly slots.DiffRendererRegistration[];
  readonly timelineRenderers: readonly slots.TimelineRendererRegistration[];
  readonly providerIcons: readonly slots.ProviderIconRegistration[];
  readonly appOverlays: readonly slots.AppOverlayRegistration[];
  readonly icons: readonly slots.PluginIconRegistration[];
  readonly commands: readonly PluginCommand[];
  readonly composerCommands: readonly ComposerCommand[];
  readonly composerCustomizations: readonly CollectedCustomization[];
  readonly contentScripts: readonly PluginContentScriptRegistration[];
  /** Fields that were ignored, old names that were used, parts of customizations that were dropped. */
  readonly warnings: readonly string[];
  /** Names that were accepted without effect, each once. */
  readonly unsupported: readonly string[];
}
