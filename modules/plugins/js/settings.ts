import type { HostRuntime } from "../../jsruntime/js/runtime";
import type { PluginApi } from "./plugin_api";
import { checkJson } from "./policy/strict_json";

const { stringify } = JSON;
const MEMBER = "settings.define";
const NAME = /^[a-zA-Z0-9_-]+$/;

interface Descriptor {
  type: string;
  label?: string;
  description?: string;
  default?: unknown;
  secret?: boolean;
  options?: string[];
}

const OWN_FIELDS: Record<string, string[]> = {
  string: ["secret", "experimental_multiline"],
  boolean: [],
  select: ["options"],
  number: [],
  project: [],
};
const COMMON_FIELDS = ["type", "label", "description", "default", "experimental_schema"];

type Listener = (next: Record<string, unknown>, prev: Record<string, unknown>) => void;

/**
 * `svc.settings`: declarations are checked and shown; values are the defaults, since nothing writes others yet.
 */
export function buildSettings(runtime: HostRuntime, api: PluginApi) {
  const declared: Record<string, Descriptor> = {};

  const define = (descriptors: unknown) => {
    const added = checkDescriptors(api, runtime, descriptors);
    for (const key of Object.keys(added)) {
      if (Object.hasOwn(declared, key)) api.fail(MEMBER, `duplicate name "${key}"`);
    }
    Object.assign(declared, added);
    api.setRegistration("settings", schemaOf(declared));
    const listeners = new Set<Listener>();
    return {
      get: api.guard("settings.get", async () => valuesOf(added)),
      onChange: api.guard("settings.onChange", (listener: Listener) => {
        if (typeof listener !== "function") api.fail("settings.onChange", "needs a function");
        listeners.add(listener);
        return () => void listeners.delete(listener);
      }),
    };
  };
  return { define: api.guard(MEMBER, define) };
}

function checkDescriptors(api: PluginApi, runtime: HostRuntime, descriptors: unknown): Record<string, Descriptor> {
  if (typeof descriptors !== "object" || descriptors === null || Array.isArray(descriptors)) {
    api.fail(MEMBER, "needs an object of descriptors");
  }
  const out: Record<string, Descriptor> = {};
  for (const [key, value] of Object.entries(descriptors as object)) {
    if (!NAME.test(key)) api.fail(MEMBER, `the key "${key}" must match ${NAME.source}`);
    out[key] = checkDescriptor(api, runtime, key, value);
  }
  return out;
}

function checkDescriptor(api: PluginApi, runtime: HostRuntime, key: string, value: unknown): Descriptor {
  const fail = (what: string): never => api.fail(MEMBER, `"${key}": ${what}`);
  if (typeof value !== "object" || value === null) fail("must be an object");
  const descriptor = value as Descriptor & Record<string, unknown>;
  const own = Object.hasOwn(OWN_FIELDS, descriptor.type) ? OWN_FIELDS[descriptor.type] : undefined;
  if (own === undefined) fail(`unknown type "${String(descriptor.type)}"; use ${Object.keys(OWN_FIELDS).join(", ")}`);
  for (const text of ["label", "description"] as const) {
    const given = descriptor[text];
    if (given !== undefined && (typeof given !== "string" || given.trim() === "")) fail(`${text} must be non-blank text`);
  }
  if (descriptor.type === "select") checkOptions(descriptor.options, fail);
  if (descriptor.default !== undefined) checkDefault(descriptor, fail);
  for (const field of Object.keys(descriptor)) {
    if (!COMMON_FIELDS.includes(field) && !own!.includes(field)) {
      const message = `${MEMBER}: "${key}": unknown field "${field}" is ignored`;
      runtime.callSync("core.problem", stringify({ code: "unknown_field", message }));
    }
  }
  return descriptor;
}

function checkOptions(options: unknown, fail: (what: string) => never): void {
  const good = Array.isArray(options) && options.length > 0 && options.every((o) => typeof o === "string" && o !== "");
  if (!good) fail("options must be an array of at least one non-empty string");
  if (new Set(options as string[]).size !== (options as string[]).length) fail("options must be unique");
}

function checkDefault(descriptor: Descriptor, fail: (what: string) => never): void {
  const value = descriptor.default;
  const wanted = { string: "string", project: "string", boolean: "boolean", number: "number" }[descriptor.type];
  if (wanted !== undefined && typeof value !== wanted) fail(`the default must be a ${wanted}, is a ${typeof value}`);
  if (checkJson(value) !== null) fail("the default must be a finite number");
  if (descriptor.type === "select" && !descriptor.options!.includes(value as string)) {
    fail(`the default ${stringify(value)} is not one of the options`);
  }
}

/** What may leave the environment: no defaults of secrets, no functions. */
function schemaOf(declared: Record<string, Descriptor>): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const [key, { type, label, description, default: value, secret, options }] of Object.entries(declared)) {
    const shown = secret === true ? undefined : value;
    out[key] = { type, label: label ?? words(key), description, default: shown, secret, options };
  }
  return out;
}

function valuesOf(declared: Record<string, Descriptor>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(declared).map(([key, descriptor]) => [key, descriptor.default]));
}

/** "apiKey" and "api-key" read "api key". */
function words(key: string): string {
  return key
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/[-_]+/g, " ")
    .toLowerCase();
}
