import type { PluginAppBuilder, PluginAppDefinition } from "../app/definition.js";
import type { PluginSidebarDisclosure } from "../app/slots/sidebar.js";
import { checkObject, readFields, refuser } from "./checks.js";
import type { CollectedPluginApp } from "./collected.js";
import { readCustomization } from "./composer_rules.js";
import { kOtherRules, kSlotRules, kUnsupportedSlots, type OtherKind, type RegistrationRule } from "./slot_rules.js";

// The app window and the test runtime interpret app entries with this module, so both accept the same.

export interface CollectOptions {
  /** Undefined: what must carry the plugin's own id is checked for its form only. */
  pluginId?: string | undefined;
  /** Makes what opens and closes a disclosure of the sidebar footer. Default: one that does nothing. */
  createDisclosure?: (id: string) => PluginSidebarDisclosure;
}

/** The default export of an app entry, recognised by its brand: it may come from another copy of the SDK. */
export function isPluginApp(value: unknown): value is PluginAppDefinition {
  return (
    typeof value === "object" &&
    value !== null &&
    (value as Partial<PluginAppDefinition>).__svcPluginApp === true &&
    typeof (value as Partial<PluginAppDefinition>).setup === "function"
  );
}

/**
 * Runs `setup` of an app entry and returns everything it registered.
 *
 * @throws TypeError when the value is no app entry or a registration is refused; whatever else `setup` throws.
 */
export function interpretPluginApp(definition: unknown, options: CollectOptions = {}): CollectedPluginApp {
  if (!isPluginApp(definition)) {
    throw new TypeError("the default export of the app entry must be the result of definePluginApp(setup)");
  }
  const collector = new Collector(options);
  let returned: unknown;
  try {
    returned = definition.setup(collector.builder());
  } finally {
    collector.close();
  }
  if (typeof (returned as { then?: unknown } | undefined)?.then === "function") {
    // Its late failure must not count as another one.
    void Promise.resolve(returned).catch(() => undefined);
    throw new TypeError("setup must be synchronous, it returned a promise");
  }
  return collector.result();
}

class Collector {
  readonly #options: CollectOptions;
  readonly #lists = new Map<string, unknown[]>();
  readonly #taken = new Map<string, Set<string>>();
  readonly #warnings = new Set<string>();
  readonly #unsupported = new Set<string>();
  #isOpen = true;

  constructor(options: CollectOptions) {
    this.#options = options;
    for (const { into } of [...Object.values(kSlotRules), ...Object.values(kOtherRules)]) {
      this.#lists.set(into, []);
    }
    this.#lists.set("composerCustomizations", []);
  }

  builder(): PluginAppBuilder {
    const register = (kind: OtherKind) => (given: unknown) => void this.#add(kind, kOtherRules[kind], given);
    const contentScripts = { register: register("contentScripts.register") };
    const builder = {
      slots: this.#slots(),
      composer: {
        customize: (given: unknown) => this.#customize(given),
        experimental_registerCommand: register("composer.experimental_registerCommand"),
      },
      commands: { register: register("commands.register") },
      contentScripts,
      experimental_sidebarFooter: { register: (given: unknown) => this.#addFooter(given) },
      experimental_icons: { register: register("experimental_icons.register") },
      experimental_contentScripts: {
        register: this.#renamed("experimental_contentScripts", "contentScripts", contentScripts.register),
      },
    };
    return builder as unknown as PluginAppBuilder;
  }

  close(): void {
    this.#isOpen = false;
  }

  result(): CollectedPluginApp {
    const lists = [...this.#lists].map(([name, list]) => [name, Object.freeze(list)] as const);
    return Object.freeze({
      ...Object.fromEntries(lists),
      warnings: Object.freeze([...this.#warnings]),
      unsupported: Object.freeze([...this.#unsupported]),
    }) as unknown as CollectedPluginApp;
  }

  #slots(): Record<string, (given: unknown) => void> {
    const slots: Record<string, (given: unknown) => void> = {};
    for (const [slot, rule] of Object.entries(kSlotRules)) {
      slots[slot] = (given) => void this.#add(`slots.${slot}`, rule, given);
    }
    for (const slot of kUnsupportedSlots) {
      slots[slot] = () => {
        this.#checkOpen(`slots.${slot}`);
        this.#unsupported.add(`slots.${slot}`);
      };
    }
    slots.experimental_messageAction = this.#renamed("slots.experimental_messageAction", "slots.messageAction", slots.messageAction!);
    slots.commandPaletteAction = this.#renamed(
      "slots.commandPaletteAction",
      "commands.register",
      (given) => void this.#add("commands.register", kOtherRules["commands.register"], given),
    );
    return slots;
  }

  #renamed(old: string, now: string, register: (given: unknown) => void): (given: unknown) => void {
    return (given) => {
      this.#warnings.add(`app.${old} is now app.${now}`);
      register(given);
    };
  }

  #checkOpen(kind: string): void {
    if (!this.#isOpen) {
      refuser(kind)("nothing can be registered after setup returned");
    }
  }

  #add(kind: string, rule: RegistrationRule, given: unknown): Record<string, unknown> {
    this.#checkOpen(kind);
    const refuse = refuser(kind);
    const own = checkObject(refuse, "the registration", given);
    const name = rule.unique?.[0] ?? "id";
    // Says which registration it is wherever that is known.
    const said = typeof own[name] === "string" ? ` of "${own[name]}"` : "";
    const read = readFields((what) => refuse(said === "" ? what : placed(what, said, name)), own, rule.fields, {
      unknown: (key) => this.#warnings.add(`${kind}: the field "${key}"${said} is unknown and ignored`),
      renamed: rule.renamed ?? {},
      onRenamed: (old, now) => this.#warnings.add(`${kind}: the field "${old}"${said} is now "${now}"`),
    });
    const registration = Object.freeze({ ...rule.defaults, ...read });
    const problem = rule.whole?.(registration, this.#options.pluginId);
    if (problem !== undefined) {
      refuse(problem);
    }
    this.#take(kind, rule, registration, refuse);
    for (const field of rule.unsupported ?? []) {
      if (registration[field] !== undefined) {
        this.#unsupported.add(`${kind.replace("slots.", "")}.${field}`);
      }
    }
    this.#lists.get(rule.into)!.push(registration);
    return registration;
  }

  /** All unique fields are free before any of them is taken. */
  #take(kind: string, rule: RegistrationRule, registration: Record<string, unknown>, refuse: (what: string) => never): void {
    const fields = rule.unique ?? ["id"];
    const spaces = fields.map((field) => {
      const space = `${rule.space ?? kind} ${field}`;
      const taken = this.#taken.get(space) ?? new Set<string>();
      this.#taken.set(space, taken);
      // A provider is named by its kind and its id.
      const value = `${String(registration.providerKind ?? "")}${String(registration[field])}`;
      if (taken.has(value)) {
        refuse(`duplicate ${field} "${String(registration[field])}"`);
      }
      return { taken, value };
    });
    spaces.forEach(({ taken, value }) => taken.add(value));
  }

  #addFooter(given: unknown): PluginSidebarDisclosure | undefined {
    const kind = "experimental_sidebarFooter.register";
    const registration = this.#add(kind, kOtherRules[kind], given);
    if (registration.kind !== "disclosure") {
      return undefined;
    }
    const none = () => undefined;
    const id = registration.id as string;
    return Object.freeze(this.#options.createDisclosure?.(id) ?? { open: none, close: none, toggle: none });
  }

  #customize(given: unknown): void {
    this.#checkOpen("composer.customize");
    const kind = "composer.customize id";
    const taken = this.#taken.get(kind) ?? new Set<string>();
    this.#taken.set(kind, taken);
    const customization = readCustomization(given, taken, {
      warn: (message) => this.#warnings.add(message),
      unsupported: (name) => this.#unsupported.add(name),
    });
    if (customization !== null) {
      this.#lists.get("composerCustomizations")!.push(customization);
    }
  }
}

/** `title must be …` becomes `title of "todos" must be …`; what is wrong with the name itself says so already. */
function placed(what: string, said: string, name: string): string {
  const [start = "", field] = /^(\S+)(?: "[^"]*")?/.exec(what) ?? [];
  return field === name ? what : `${start}${said}${what.slice(start.length)}`;
}
