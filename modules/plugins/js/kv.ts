import type { HostRuntime } from "../../jsruntime/js/runtime";
import type { CoreConfig } from "./core";
import type { PluginApi } from "./plugin_api";
import type { PluginKvStorage } from "../../../sdk/src/storage";
import { strictJsonText } from "./policy/json_text";
import { describeViolation } from "./policy/strict_json";

const { parse, stringify } = JSON;
const { byteLength } = Buffer;
const bufferFrom = Buffer.from;

/** `svc.storage.kv`. Arguments travel as JSON texts, one per line; values are not parsed on the way. */
export function buildKv(runtime: HostRuntime, api: PluginApi, limits: Pick<CoreConfig, "kvKey" | "kvValue">) {
  const keyText = (member: string, key: unknown): string => {
    if (typeof key !== "string" || key === "") {
      api.fail(member, "the key must be a non-empty string");
    }
    const bytes = byteLength(key as string);
    if (bytes > limits.kvKey) {
      api.fail(member, `the key has ${bytes} bytes, the limit kvKey is ${limits.kvKey}`);
    }
    if (bufferFrom(key as string).toString() !== key) {
      api.fail(member, "the key is not well-formed Unicode text");
    }
    return stringify(key);
  };
  const valueText = (member: string, subject: string, value: unknown): string => {
    const text = strictJsonText(runtime, value);
    if (typeof text !== "string") {
      return api.fail(member, `${describeViolation(subject, text)}: only strict JSON can be stored`);
    }
    const bytes = byteLength(text);
    if (bytes > limits.kvValue) {
      api.fail(member, `the ${subject} has ${bytes} bytes as JSON, the limit kvValue is ${limits.kvValue}`);
    }
    return text;
  };
  const optionalText = (member: string, subject: string, value: unknown): string =>
    value === undefined ? "" : valueText(member, subject, value);
  // What was stored is whatever its reader says it is.
  const read = async (member: string, key: unknown): Promise<any> => {
    const text = await runtime.call("kv.get", keyText(member, key));
    return text === undefined || text === "" ? undefined : parse(text);
  };

  const kv: PluginKvStorage = {
    get: api.guard("storage.kv.get", (key: unknown) => read("storage.kv.get", key)),
    has: api.guard("storage.kv.has", async (key: unknown) => (await read("storage.kv.has", key)) !== undefined),
    set: api.guard("storage.kv.set", async (key: unknown, value: unknown) => {
      const name = keyText("storage.kv.set", key);
      await runtime.call("kv.set", `${name}\n${valueText("storage.kv.set", "value", value)}`);
    }),
    delete: api.guard("storage.kv.delete", async (key: unknown) => {
      await runtime.call("kv.remove", keyText("storage.kv.delete", key));
    }),
    list: api.guard("storage.kv.list", async (prefix: unknown = "") => {
      if (typeof prefix !== "string") {
        api.fail("storage.kv.list", "the prefix must be a string");
      }
      return parse((await runtime.call("kv.list", stringify(prefix))) ?? "[]") as string[];
    }),
    experimental_compareAndSet: api.guard(
      "storage.kv.experimental_compareAndSet",
      async (key: unknown, expected: unknown, next: unknown) => {
        const member = "storage.kv.experimental_compareAndSet";
        const name = keyText(member, key);
        const from = optionalText(member, "expected", expected);
        const to = optionalText(member, "next", next);
        return (await runtime.call("kv.compareAndSet", `${name}\n${from}\n${to}`)) === "true";
      },
    ),
  };
  return kv;
}
