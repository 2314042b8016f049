import {
  anything,
  arrayOf,
  callback,
  checkObject,
  component,
  directiveId,
  flag,
  icon,
  id,
  kindOf,
  oneOf,
  optional,
  required,
  text,
  type Check,
  type Fields,
} from "./checks.js";

/** One kind of registration. */
export interface RegistrationRule {
  /** Where accepted registrations are collected. */
  readonly into: string;
  readonly fields: Fields;
  /** Fields that must differ between registrations of this kind. Default `id`. */
  readonly unique?: readonly string[];
  /** Kinds with the same space share their unique values. Default: the kind itself. */
  readonly space?: string;
  readonly renamed?: { readonly [old: string]: string };
  /** Fields that are accepted and do nothing. */
  readonly unsupported?: readonly string[];
  /** Values of fields that were left out. */
  readonly defaults?: { readonly [field: string]: unknown };
  /** What one field asks of another: what is wrong, or undefined. */
  readonly whole?: (registration: Record<string, unknown>, pluginId: string | undefined) => string | undefined;
}

const layout = oneOf("padded", "flush");

const kFixedTab: Fields = {
  panelId: optional(id),
  id: required(id),
  title: required(text),
  icon: required(icon),
  component: required(component),
  layout: optional(layout),
  experimental_target: optional((refuse, name, value) => {
    const { validate } = checkObject(refuse, name, value);
    return Object.freeze({ validate: callback(refuse, `${name}.validate`, validate) });
  }),
};

/** A field may itself be an object with fields; unknown keys in there are dropped without a word. */
export function object(fields: Fields): Check {
  return (refuse, name, value) => {
    const given = checkObject(refuse, name, value);
    const kept: Record<string, unknown> = {};
    for (const [key, field] of Object.entries(fields)) {
      if (given[key] !== undefined || field.required) {
        kept[key] = field.check(refuse, `${name}.${key}`, given[key]);
      }
    }
    return Object.freeze(kept);
  };
}

export const shortcut = object({
  key: required(text),
  mod: optional(flag),
  meta: optional(flag),
  control: optional(flag),
  alt: optional(flag),
  shift: optional(flag),
});

const extension: Check = (refuse, name, value) =>
  typeof value === "string" && /^[a-z0-9]+$/.test(value)
    ? value
    : refuse(`${name} must be lower-case letters and digits without a dot, is ${typeof value === "string" ? `"${value}"` : kindOf(value)}`);

const titled: Fields = { id: required(id), title: required(text), component: required(component) };
const described: Fields = { ...titled, description: optional(text) };
const panelAction: Fields = { ...titled, icon: optional(icon), layout: optional(layout), run: optional(callback) };

function fixedTabsProblem({ id: panelId, fixedTabs = [] }: Record<string, unknown>): string | undefined {
  const seen = new Set<unknown>();
  for (const tab of fixedTabs as { id: string; panelId?: string }[]) {
    if (tab.panelId !== undefined && tab.panelId !== panelId) {
      return `panelId of the fixed tab "${tab.id}" must be "${String(panelId)}", the panel that holds it, is "${tab.panelId}"`;
    }
    if (seen.has(tab.id)) {
      return `duplicate fixed tab "${tab.id}"`;
    }
    seen.add(tab.id);
  }
  return undefined;
}

function timelineKindProblem({ kind }: Record<string, unknown>, pluginId: string | undefined): string | undefined {
  if (kind === "tool") {
    return undefined;
  }
  const [, owner] = /^([a-z0-9-]+)\/[a-z0-9-]+$/.exec(kind as string) ?? [];
  if (owner === undefined) {
    return `kind "${String(kind)}" must be "tool", or "<pluginId>/<name>" in lower-case letters, digits and "-"`;
  }
  return pluginId === undefined || owner === pluginId
    ? undefined
    : `kind "${String(kind)}" must start with the plugin's own id, "${pluginId}/"`;
}

/** `app.slots`, by member. */
export const kSlotRules: { readonly [slot: string]: RegistrationRule } = {
  navPanel: {
    into: "navPanels",
    fields: {
      ...titled,
      icon: required(icon),
      path: required(id),
      headerContent: optional(component),
      experimental_sidebarAccessory: optional(component),
      fixedTabs: optional(arrayOf(object(kFixedTab))),
    },
    unique: ["id", "path"],
    renamed: { experimental_fixedTabs: "fixedTabs" },
    whole: fixedTabsProblem,
  },
  homepageSection: { into: "homepageSections", fields: titled },
  settingsSection: {
    into: "settingsSections",
    fields: {
      id: required(id),
      title: optional(text),
      description: optional(text),
      component: required(component),
      experimental_page: optional(anything),
    },
    unsupported: ["experimental_page"],
    whole: ({ title, description }) => (description !== undefined && title === undefined ? "description needs a title" : undefined),
  },
  threadPanelAction: { into: "threadPanelActions", fields: panelAction, defaults: { layout: "padded" } },
  experimental_newThreadPanelAction: {
    into: "newThreadPanelActions",
    fields: panelAction,
    defaults: { layout: "padded" },
  },
  experimental_threadHeaderAction: { into: "threadHeaderActions", fields: titled },
  experimental_threadList: { into: "threadLists", fields: described },
  pendingInteraction: {
    into: "pendingInteractions",
    fields: { id: required(id), component: required(component) },
  },
  messageDirective: {
    into: "messageDirectives",
    fields: { id: required(directiveId), component: required(component) },
  },
  messageAction: {
    into: "messageActions",
    fields: { id: required(id), title: required(text), icon: optional(icon), run: required(callback) },
  },
  sidebarFooterAction: {
    into: "sidebarFooterActions",
    fields: { id: required(id), title: required(text), icon: required(icon), run: required(callback) },
    space: "sidebar footer",
  },
  fileOpener: {
    into: "fileOpeners",
    fields: { ...titled, extensions: required(arrayOf(extension, 1)) },
  },
  experimental_sidebarNavigation: { into: "sidebarNavigations", fields: described },
  experimental_sidebarHeader: { into: "sidebarHeaders", fields: described },
  experimental_sourceCodeRenderer: { into: "sourceCodeRenderers", fields: described },
  experimental_diffRenderer: { into: "diffRenderers", fields: described },
  experimental_timelineRenderer: {
    into: "timelineRenderers",
    fields: { kind: required(text), component: required(component) },
    unique: ["kind"],
    whole: timelineKindProblem,
  },
  experimental_providerIcon: {
    into: "providerIcons",
    fields: {
      providerId: required(text),
      icon: required(component),
      providerKind: optional(oneOf("agent", "machine", "environment")),
    },
    unique: ["providerId"],
    defaults: { providerKind: "agent" },
  },
  experimental_appOverlay: {
    into: "appOverlays",
    fields: { id: required(id), component: required(component) },
  },
};

/** Known by name: accepted, without effect. */
export const kUnsupportedSlots = [
  "experimental_browserAction",
  "experimental_browserController",
  "experimental_browserToolbarAction",
  "experimental_executionPickerEntry",
  "experimental_environmentProviderInputs",
  "experimental_machineProviderInputs",
] as const;

const footer: Fields = {
  kind: required(oneOf("action", "disclosure")),
  id: required(id),
  label: required(text),
  icon: required(icon),
};

/** The other members of the builder, by kind. */
export const kOtherRules = {
  "commands.register": {
    into: "commands",
    fields: {
      id: required(id),
      title: required(text),
      isAvailable: optional(callback),
      run: required(callback),
      defaultShortcut: optional(shortcut),
    },
  },
  "contentScripts.register": {
    into: "contentScripts",
    fields: { id: required(id), mount: required(callback) },
  },
  "composer.experimental_registerCommand": {
    into: "composerCommands",
    fields: {
      id: required(id),
      title: required(text),
      defaultShortcut: optional(shortcut),
      run: required(callback),
    },
  },
  "experimental_sidebarFooter.register": {
    into: "sidebarFooters",
    fields: { ...footer, onActivate: optional(callback), component: optional(component) },
    space: "sidebar footer",
    whole: ({ kind, onActivate, component: body }) => {
      if (kind === "action") {
        return onActivate === undefined ? "onActivate must be a function, is undefined" : undefined;
      }
      return body === undefined ? "component must be a component, is undefined" : undefined;
    },
  },
  "experimental_icons.register": {
    into: "icons",
    fields: { name: required(text), component: required(component) },
    unique: ["name"],
  },
} satisfies { [kind: string]: RegistrationRule };
export type OtherKind = keyof typeof kOtherRules;
