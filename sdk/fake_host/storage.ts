/** The key-value pairs and the saved settings: the functions that core.ts asks of its host. */
import { isDeepStrictEqual } from "node:util";
import { noFunctions, type HostFunctions } from "./runtime";
import type { Shared } from "./shared";

/** Members of objects have no order. Empty stands for absent. */
const isSame = (left: string, right: string): boolean =>
  left === right || (left !== "" && right !== "" && isDeepStrictEqual(JSON.parse(left), JSON.parse(right)));

/** Arguments are JSON texts, one per line. An empty line is an absent value. */
export function kvFunctions({ kv }: Shared): HostFunctions {
  const lines = (argument: string): string[] => argument.split("\n");
  const keyOf = (line: string | undefined): string => JSON.parse(line ?? '""') as string;
  return {
    ...noFunctions(),
    async: {
      "kv.get": async (argument) => kv.get(keyOf(argument)),
      "kv.set": async (argument) => {
        const [key, value] = lines(argument);
        kv.set(keyOf(key), value as string);
      },
      "kv.remove": async (argument) => {
        kv.delete(keyOf(argument));
      },
      "kv.list": async (argument) => {
        const prefix = keyOf(argument);
        const keys = [...kv.keys()].filter((key) => key.startsWith(prefix));
        return JSON.stringify(keys.sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right))));
      },
      "kv.compareAndSet": async (argument) => {
        const [name, expected, next] = lines(argument);
        const key = keyOf(name);
        if (!isSame(kv.get(key) ?? "", expected ?? "")) {
          return "false";
        }
        if (next === "" || next === undefined) {
          kv.delete(key);
        } else {
          kv.set(key, next);
        }
        return "true";
      },
    },
  };
}

export function settingsFunctions({ settings }: Shared): HostFunctions {
  return {
    ...noFunctions(),
    sync: {
      // Which of them are secrets is for the declarations to say.
      "settings.current": () => {
        const saved = JSON.stringify(Object.fromEntries(settings));
        return `{"values":${saved},"secrets":${saved}}`;
      },
      "settings.protect": () => undefined,
    },
    async: {
      "settings.write": async (argument) => {
        for (const { key, value } of JSON.parse(argument) as { key: string; value: unknown }[]) {
          if (value === null) {
            settings.delete(key);
          } else {
            settings.set(key, value);
          }
        }
      },
    },
  };
}
