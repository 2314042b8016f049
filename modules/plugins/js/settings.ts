import type { PluginSettingsHandle } from "../../../sdk/src/settings";
import type { HostRuntime } from "../../jsruntime/js/runtime";
import type { CoreLog } from "./log";
import type { PluginApi } from "./plugin_api";
import { checkFunction, kindOf } from "./policy/arguments";
import type { SettingDescriptor } from "./policy/settings_schema";
import { checkDescriptors, shownDescriptor, valueIssue } from "./policy/settings_schema";

const { parse, stringify } = JSON;
const DEFINE = "settings.define";
const SET = "settings.experimental_set";

type Values = Record<string, unknown>;
type Listener = (next: Values, prev: Values) => unknown;

interface Issue {
  message: string;
  path: string[];
}

/** What the host keeps for this plugin: values as JSON, secrets as text. */
interface Stored {
  values: Values;
  secrets: Record<string, string>;
}

interface Group {
  keys: readonly string[];
  listeners: Set<Listener>;
}

/**
 * `svc.settings`. The host keeps what is saved; this side knows the descriptors, so it decides which saved values fit and
 * which new ones may be saved, and tells listeners. A save is checked here as a whole before the host writes anything.
 */
export class Settings {
  private readonly declared = new Map<string, SettingDescriptor>();
  private readonly groups: Group[] = [];
  /** The effective value of every declared key. */
  private effective = new Map<string, unknown>();

  constructor(
    private readonly runtime: HostRuntime,
    private readonly api: PluginApi,
    private readonly log: CoreLog,
    private readonly sizeLimit: number,
    private readonly isStale: () => boolean,
  ) {
    runtime.handle("settings.save", (body) => this.answerSave(body));
    runtime.handle("settings.refresh", () => {
      this.refresh();
      return undefined;
    });
  }

  /** The member of the `svc` object. */
  member() {
    return { define: this.api.guard(DEFINE, (descriptors: unknown) => this.define(descriptors)) };
  }

  // The types of the values follow from the descriptors, for the author.
  private define(given: unknown): PluginSettingsHandle<any> {
    const { api } = this;
    const added = checkDescriptors(api.fail, api.problem, DEFINE, given, this.sizeLimit);
    for (const key of added.keys()) {
      if (this.declared.has(key)) {
        api.fail(DEFINE, `duplicate name "${key}"`);
      }
    }
    for (const [key, descriptor] of added) {
      this.declared.set(key, descriptor);
    }
    this.protectDefaults(added);
    const group: Group = { keys: [...added.keys()], listeners: new Set() };
    this.groups.push(group);
    this.effective = this.compute(this.stored());
    this.publish();
    return {
      get: api.guard("settings.get", async () => pick(this.effective, group.keys)),
      onChange: api.guard("settings.onChange", (listener: unknown) => {
        checkFunction(api.fail, "settings.onChange", listener, "the listener");
        // Wrapped: the same function registered twice is two listeners.
        const entry: Listener = (next, prev) => (listener as Listener)(next, prev);
        group.listeners.add(entry);
        return () => void group.listeners.delete(entry);
      }),
      experimental_set: api.guard(SET, (partial: unknown) => this.setFromHandle(group, partial)),
    };
  }

  /** A default is a secret too when it belongs to one. */
  private protectDefaults(added: Map<string, SettingDescriptor>): void {
    const secrets = [...added.values()].filter((each) => each.secret && each.default !== undefined);
    if (secrets.length > 0) {
      this.runtime.callSync("settings.protect", stringify(secrets.map((each) => each.default)));
    }
  }

  private stored(): Stored {
    return parse(this.runtime.callSync("settings.current") ?? '{"values":{},"secrets":{}}') as Stored;
  }

  private compute(stored: Stored): Map<string, unknown> {
    const out = new Map<string, unknown>();
    for (const [key, descriptor] of this.declared) {
      const source: Values = descriptor.secret ? stored.secrets : stored.values;
      const saved = Object.hasOwn(source, key) ? source[key] : undefined;
      const fits = saved !== undefined && valueIssue(descriptor, saved, this.sizeLimit) === null;
      out.set(key, fits ? saved : descriptor.default);
    }
    return out;
  }

  /** What clients see: `{ schema, values }`. */
  private view(): { schema: Values; values: Values } {
    const schema: [string, unknown][] = [];
    const values: [string, unknown][] = [];
    for (const [key, descriptor] of this.declared) {
      const value = this.effective.get(key);
      schema.push([key, shownDescriptor(descriptor)]);
      if (descriptor.secret) {
        values.push([key, { set: value !== undefined && value !== "" }]);
      } else if (value !== undefined) {
        values.push([key, value]);
      }
    }
    return { schema: Object.fromEntries(schema), values: Object.fromEntries(values) };
  }

  private publish(): void {
    this.api.setRegistration("settings", () => this.view());
  }

  /** Takes over what the host has now and tells the listeners of keys whose effective value is another one. */
  private refresh(): void {
    if (this.declared.size === 0 || this.isStale()) {
      return;
    }
    const before = this.effective;
    this.effective = this.compute(this.stored());
    const changed = [...this.effective.keys()].filter((key) => !Object.is(before.get(key), this.effective.get(key)));
    if (changed.length === 0) {
      return;
    }
    this.publish();
    const after = this.effective;
    for (const { keys, listeners } of this.groups) {
      if (!keys.some((key) => changed.includes(key))) {
        continue;
      }
      for (const listener of [...listeners]) {
        this.notify(listener, pick(after, keys), pick(before, keys));
      }
    }
  }

  private notify(listener: Listener, next: Values, prev: Values): void {
    const failed = (error: unknown) => this.log.failure("a settings.onChange listener failed", error);
    try {
      const result = listener(next, prev);
      if (result instanceof Promise) {
        result.catch(failed);
      }
    } catch (error) {
      failed(error);
    }
  }

  /** Every problem of the new values; null and undefined are no values, so they have none. */
  private issuesOf(values: Values, known: (key: string) => boolean): Issue[] {
    const issues: Issue[] = [];
    for (const [key, value] of Object.entries(values)) {
      const descriptor = known(key) ? this.declared.get(key) : undefined;
      const message =
        descriptor === undefined
          ? `Unknown setting${this.knownKeys(known)}`
          : value === null || value === undefined
            ? null
            : valueIssue(descriptor, value, this.sizeLimit);
      if (message !== null) {
        issues.push({ message, path: [key] });
      }
    }
    return issues;
  }

  private knownKeys(known: (key: string) => boolean): string {
    const keys = [...this.declared.keys()].filter(known);
    return keys.length === 0 ? "; none is declared" : `; there are ${keys.map((key) => `"${key}"`).join(", ")}`;
  }

  private async write(values: Values): Promise<void> {
    const changes = Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => ({ key, secret: this.declared.get(key)!.secret, value }));
    if (changes.length > 0) {
      await this.runtime.call("settings.write", stringify(changes));
    }
    this.refresh();
  }

  private async setFromHandle(group: Group, partial: unknown): Promise<Values> {
    if (typeof partial !== "object" || partial === null || Array.isArray(partial)) {
      this.api.fail(SET, `needs an object of values, got ${kindOf(partial)}`);
    }
    const issues = this.issuesOf(partial as Values, (key) => group.keys.includes(key));
    if (issues.length > 0) {
      throw Object.assign(new TypeError(`${SET}: ${summary(issues)}`), { code: "invalid_input", issues });
    }
    await this.write(partial as Values);
    return pick(this.effective, group.keys);
  }

  /** `PUT settings`; the body is the object of values. */
  private async answerSave(body: string): Promise<string> {
    const values = parse(body) as Values;
    const issues = this.issuesOf(values, (key) => this.declared.has(key));
    if (issues.length > 0) {
      throw this.runtime.error("invalid_input", `the settings are not valid: ${summary(issues)}`, {
        issues: issues.map(({ message, path }) => ({ message, path: ["values", ...path] })),
      });
    }
    try {
      await this.write(values);
    } catch (error) {
      // A failure of the host keeps its code: it is not the plugin's.
      const { code, message } = error as { code?: string; message: string };
      throw this.runtime.error(code ?? "internal_error", message);
    }
    return stringify(this.view());
  }
}

function pick(values: Map<string, unknown>, keys: readonly string[]): Values {
  return Object.fromEntries(keys.map((key) => [key, values.get(key)]));
}

function summary(issues: readonly Issue[]): string {
  return issues.map(({ message, path }) => `${path.join(".")}: ${message}`).join("; ");
}
