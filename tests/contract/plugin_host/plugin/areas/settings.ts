import { z } from "zod";

import { gives, refuses } from "../attempt.ts";

const define = (descriptors: unknown) => (svc: any) => void svc.settings.define(descriptors);
const set = (values: unknown) => (svc: any) => svc.contractSettings.experimental_set(values);
const kValue = 262_144;

export const settings = [
  refuses("descriptors that are missing", "settings.define: the descriptors must be an object, is undefined", define(undefined)),
  refuses(
    "a key with a dot",
    'settings.define: the key "a.b" must be one or more letters, digits, "-" and "_"',
    define({ "a.b": { type: "string" } }),
  ),
  refuses("a descriptor that is text", 'settings.define: the descriptor of "a" must be an object, is a string', define({ a: "string" })),
  refuses(
    "an unknown type",
    'settings.define: the descriptor of "a": the type must be one of string, boolean, select, number, project, is "date"',
    define({ a: { type: "date" } }),
  ),
  refuses(
    "a blank label",
    'settings.define: the descriptor of "a": label must be non-blank text',
    define({ a: { type: "string", label: " " } }),
  ),
  refuses(
    "a secret number",
    'settings.define: the descriptor of "a": only a setting of type "string" can be secret, this one is "number"',
    define({ a: { type: "number", secret: true } }),
  ),
  refuses(
    "a secret of many lines",
    'settings.define: the descriptor of "a": experimental_multiline cannot be combined with secret',
    define({ a: { type: "string", secret: true, experimental_multiline: true } }),
  ),
  refuses(
    "a choice without options",
    'settings.define: the descriptor of "a": options must be an array of at least one non-empty string',
    define({ a: { type: "select" } }),
  ),
  refuses(
    "options that repeat",
    'settings.define: the descriptor of "a": options must be unique',
    define({ a: { type: "select", options: ["x", "x"] } }),
  ),
  refuses(
    "a default of another type",
    'settings.define: the descriptor of "a": the default is not valid: Expected true or false, got a string',
    define({ a: { type: "boolean", default: "yes" } }),
  ),
  refuses(
    "a default that is no option",
    'settings.define: the descriptor of "a": the default is not valid: Expected one of "x", "y"',
    define({ a: { type: "select", options: ["x", "y"], default: "z" } }),
  ),
  refuses(
    "a default its schema refuses",
    'settings.define: the descriptor of "a": the default is not valid: too short',
    define({ a: { type: "string", default: "x", experimental_schema: z.string().min(2, "too short") } }),
  ),
  refuses(
    "a schema that transforms",
    'settings.define: the descriptor of "a": the default is not valid: experimental_schema must return the value unchanged',
    define({ a: { type: "string", default: " x ", experimental_schema: z.string().trim() } }),
  ),
  refuses(
    "a schema that is none",
    'settings.define: the descriptor of "a": experimental_schema must be a Standard Schema, is an object',
    define({ a: { type: "string", experimental_schema: {} } }),
  ),
  refuses("a key that is defined", 'settings.define: duplicate name "level"', define({ level: { type: "string" } })),
  gives("a renamed field, which is a problem", null, define({ area: { type: "string", multiline: true } })),
  gives("defaults, the saved value that fits, and none for one that does not", ["low", 3, "s3cret", null], async (svc) => {
    const { level, retries, key, flag } = await svc.contractSettings.get();
    return [level, retries, key, flag ?? null];
  }),
  gives("a value it saves itself", "high", async (svc) => (await set({ level: "high" })(svc)).level),
  refuses("a value it may not save", 'settings.experimental_set: level: Expected one of "low", "high"', set({ level: "middle" })),
  refuses(
    "a value too large",
    `settings.experimental_set: note: The value has ${kValue + 1} bytes as JSON, the limit settingValue is ${kValue}`,
    set({ note: "x".repeat(kValue - 1) }),
  ),
  refuses(
    "a key of nobody",
    'settings.experimental_set: nope: Unknown setting; there are "level", "retries", "key", "flag", "note"',
    set({ nope: 1 }),
  ),
  gives("the default again", "low", async (svc) => (await set({ level: null })(svc)).level),
];
