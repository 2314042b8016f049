import type { PluginCommand } from "./commands.js";
import type { ComposerCommand, ComposerCustomization } from "./composer.js";
import type { PluginContentScriptRegistration } from "./content_scripts.js";
import type { PluginAppSlots } from "./slots.js";
import type { PluginIconRegistration } from "./icons.js";
import type { PluginSidebarDisclosure, SidebarFooterRegistration } from "./slots/sidebar.js";

/**
 * What `setup` of an app entry registers with. Registrations of one `setup` are taken as one set: they replace those of the
 * version before, and a throw takes none of them.
 *
 * Every `register` checks its argument at once and throws an `Error` that starts with the kind, for example
 * `slots.navPanel: duplicate id "todos"`. Ids are letters, digits, `-` and `_`, unique per kind. A field this version does not
 * have is ignored with a warning.
 */
export interface PluginAppBuilder {
  readonly slots: PluginAppSlots;
  readonly composer: {
    /** Adds to the message composer. A bad customization, or a bad entry inside one, is dropped with a warning. */
    customize(customization: ComposerCustomization): void;
    /** A command that runs in the composer holding the caret. */
    experimental_registerCommand(command: ComposerCommand): void;
  };
  readonly commands: {
    /** A row of the command palette. */
    register(command: PluginCommand): void;
  };
  readonly contentScripts: {
    /** Code that runs beside the window's own, once per window. */
    register(script: PluginContentScriptRegistration): void;
  };
  readonly experimental_sidebarFooter: {
    /** A control of the sidebar footer. A disclosure returns what opens and closes it; an action returns nothing. */
    register(control: Extract<SidebarFooterRegistration, { kind: "disclosure" }>): PluginSidebarDisclosure;
    register(control: Extract<SidebarFooterRegistration, { kind: "action" }>): void;
  };
  readonly experimental_icons: {
    /** An icon name for the whole window; shadows a built-in name. */
    register(icon: PluginIconRegistration): void;
  };
}

/** What an app entry does to register. Synchronous. */
export type PluginAppSetup = (app: PluginAppBuilder) => void;

/** The default export of an app entry. */
export interface PluginAppDefinition {
  readonly __svcPluginApp: true;
  readonly setup: PluginAppSetup;
}

/**
 * Makes the default export of an app entry. The window calls `setup` whenever it loads a new version of the bundle; it must
 * be synchronous, and nothing can be registered after it returned. Keep the top level of the module free of effects: code
 * that is replaced is only forgotten, so effects belong in content scripts, which are disposed.
 *
 * @throws TypeError when `setup` is no function.
 */
export function definePluginApp(setup: PluginAppSetup): PluginAppDefinition {
  if (typeof setup !== "function") {
    throw new TypeError("definePluginApp: setup must be a function");
  }
  return { __svcPluginApp: true, setup };
}
