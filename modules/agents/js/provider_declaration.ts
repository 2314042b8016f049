/** The declaration of an agent provider: checked field by field, copied, frozen. */
import type { PluginApi } from "../../plugins/js/plugin_api";
import { checkFunction, checkObject, checkText, ignoreUnknownFields, kindOf } from "../../plugins/js/policy/arguments";
import { describeViolation, jsonTextOf } from "../../plugins/js/policy/strict_json";
import { deepFreeze } from "./deep_freeze";

export type Declaration = Readonly<Record<string, unknown>> & { readonly id: string };

const { parse, stringify } = JSON;
const { byteLength } = Buffer;

const kId = /^[a-z0-9][a-z0-9-]{1,63}$/;
/** lim.providerName in characters, lim.providerEnv, lim.bridgeOptions in UTF-8 bytes. */
const kProviderName = 80;
const kProviderEnv = 32;
const kBridgeOptions = 64 * 1024;

const kForks = ["none", "tip", "checkpoint"];
const kPermissionModes = ["accept-edits", "auto", "full"];
const kReasoningLevels = ["none", "low", "medium", "high", "xhigh", "ultracode", "max", "ultra"];
const kActions = ["plan", "goal"];
const kScopes = ["host", "workspace"];
const kVisibilities = ["always", "installed"];
const kFlags = [
  "supportsServiceTier",
  "supportsNativeUserQuestion",
  "supportsManualCompaction",
  "supportsThreadArchive",
  "supportsThreadRename",
];
/** Fields whose content belongs to the window or to the host entry: plain JSON is all that is asked of them. */
const kFreeFields = ["strings", "serviceTiers", "reasoningLevels", "extensionKinds"];
const kFields = [
  "id",
  "displayName",
  "family",
  "icon",
  "maintenance",
  "capabilities",
  "composerActions",
  ...kFreeFields,
  "models",
  "env",
  "experimental_bridgeOptions",
  "experimental_visibility",
  "deriveProviderOptions",
];

export function readDeclaration(api: PluginApi, member: string, value: unknown): Declaration {
  const given = checkObject(api.fail, member, value, "the declaration");
  if (typeof given.id !== "string" || !kId.test(given.id)) {
    api.fail(member, 'id must be 2 to 64 lower-case letters, digits and "-", starting with a letter or digit');
  }
  const reader = new Reader(api, member, given, `provider "${given.id as string}"`);
  const declaration = {
    id: given.id as string,
    displayName: reader.displayName(),
    family: reader.optionalText("family"),
    icon: reader.optionalText("icon"),
    maintenance: reader.maintenance(),
    capabilities: reader.capabilities(),
    composerActions: reader.choices("composerActions", given.composerActions, kActions),
    ...reader.freeFields(),
    models: reader.models(),
    env: { passthrough: reader.passthrough() },
    experimental_bridgeOptions: reader.bridgeOptions(),
    experimental_visibility: reader.choice("experimental_visibility", given.experimental_visibility ?? "always", kVisibilities),
    derivesOptions: reader.derivesOptions(),
  };
  ignoreUnknownFields(api.problem, member, given, kFields, reader.what);
  return deepFreeze(parse(stringify(declaration))) as Declaration;
}

class Reader {
  constructor(
    private readonly api: PluginApi,
    private readonly member: string,
    private readonly given: Record<string, unknown>,
    readonly what: string,
  ) {}

  displayName(): string {
    const name = checkText(this.api.fail, this.member, this.given.displayName, `displayName of ${this.what}`);
    if (name.length > kProviderName) {
      this.fail(`displayName of ${this.what} has ${name.length} characters, the limit providerName is ${kProviderName}`);
    }
    return name;
  }

  optionalText(key: string): string | undefined {
    const value = this.given[key];
    return value === undefined ? undefined : checkText(this.api.fail, this.member, value, `${key} of ${this.what}`);
  }

  maintenance(): Record<string, boolean> {
    const value = this.object("maintenance", this.given.maintenance ?? {});
    return Object.fromEntries(["health", "usage", "installation"].map((key) => [key, this.flag(`maintenance.${key}`, value[key])]));
  }

  capabilities(): Record<string, unknown> {
    const value = this.object("capabilities", this.given.capabilities);
    const flags = kFlags.map((key) => [key, this.flag(`capabilities.${key}`, value[key])]);
    return {
      ...(Object.fromEntries(flags) as Record<string, boolean>),
      fork: this.choice("capabilities.fork", value.fork ?? "none", kForks),
      permissionModes: this.choices("capabilities.permissionModes", value.permissionModes ?? [], kPermissionModes),
      reasoningLevels: this.choices("capabilities.reasoningLevels", value.reasoningLevels ?? [], kReasoningLevels),
    };
  }

  models(): Record<string, unknown> {
    const value = this.object("models", this.given.models ?? { scope: "host" });
    if (value.fallback !== undefined) {
      this.json("models.fallback", value.fallback);
    }
    return { fallback: value.fallback, scope: this.choice("models.scope", value.scope ?? "host", kScopes) };
  }

  passthrough(): string[] {
    const names = this.object("env", this.given.env ?? {}).passthrough ?? [];
    if (!Array.isArray(names) || names.some((name) => typeof name !== "string" || name === "")) {
      this.fail(`env.passthrough of ${this.what} must be an array of variable names`);
    }
    const { length } = names as string[];
    if (length > kProviderEnv) {
      this.fail(`env.passthrough of ${this.what} has ${length} names, the limit providerEnv is ${kProviderEnv}`);
    }
    return names as string[];
  }

  bridgeOptions(): unknown {
    const value = this.given.experimental_bridgeOptions;
    if (value === undefined) {
      return undefined;
    }
    const text = this.json("experimental_bridgeOptions", value);
    const bytes = byteLength(text);
    if (bytes > kBridgeOptions) {
      this.fail(`experimental_bridgeOptions of ${this.what} has ${bytes} bytes as JSON, the limit bridgeOptions is ${kBridgeOptions}`);
    }
    return parse(text);
  }

  freeFields(): Record<string, unknown> {
    const present = kFreeFields.filter((key) => this.given[key] !== undefined);
    return Object.fromEntries(present.map((key) => [key, parse(this.json(key, this.given[key])) as unknown]));
  }

  derivesOptions(): boolean {
    const { deriveProviderOptions } = this.given;
    if (deriveProviderOptions !== undefined) {
      checkFunction(this.api.fail, this.member, deriveProviderOptions, `deriveProviderOptions of ${this.what}`);
    }
    return deriveProviderOptions !== undefined;
  }

  choice(key: string, value: unknown, allowed: readonly string[]): string {
    if (!allowed.includes(value as string)) {
      this.fail(
        `${key} of ${this.what} must be one of ${allowed.join(", ")}, is ${typeof value === "string" ? `"${value}"` : kindOf(value)}`,
      );
    }
    return value as string;
  }

  choices(key: string, value: unknown, allowed: readonly string[]): string[] {
    if (!Array.isArray(value)) {
      this.fail(`${key} of ${this.what} must be an array, is ${kindOf(value)}`);
    }
    return [...new Set((value as unknown[]).map((item) => this.choice(key, item, allowed)))];
  }

  private flag(key: string, value: unknown): boolean {
    if (value !== undefined && typeof value !== "boolean") {
      this.fail(`${key} of ${this.what} must be a boolean, is ${kindOf(value)}`);
    }
    return value === true;
  }

  private object(key: string, value: unknown): Record<string, unknown> {
    return checkObject(this.api.fail, this.member, value, `${key} of ${this.what}`);
  }

  private json(key: string, value: unknown): string {
    const text = jsonTextOf(value);
    if (typeof text !== "string") {
      return this.fail(`${key} of ${this.what} must be JSON: ${describeViolation(key, text)}`);
    }
    return text;
  }

  private fail(what: string): never {
    return this.api.fail(this.member, what);
  }
}
