import type { HostRuntime } from "../../jsruntime/js/runtime";
import { describeError } from "./log";

/** Why an entry could not be loaded, in words for the status detail. */
export class LoadFailure extends Error {
  constructor(
    message: string,
    readonly mappedStack: string,
  ) {
    super(message);
  }

  static from(runtime: HostRuntime, entry: string, error: unknown): LoadFailure {
    const stack = error instanceof Error ? runtime.formatStack(error) : "";
    const message = withAddons(describeError(error), process.dlopen as { refused?: string[] });
    const place = POSITION.test(message) ? "" : firstPlace(stack, entry);
    return new LoadFailure(place === "" ? message : `${message} (${place})`, stack);
  }
}

/** What a package has made of the refusal of its native addon sends its reader to reinstall it. */
function withAddons(message: string, { refused = [] }: { refused?: string[] }): string {
  const [addon] = refused;
  if (addon === undefined || message.includes("native addons are not supported")) {
    return message;
  }
  const name = addon.slice(addon.lastIndexOf("/node_modules/") + 1);
  return IS_ABOUT_ADDONS.test(message)
    ? `native addons are not supported here: ${name} cannot be loaded. Use a JavaScript or WebAssembly build of the package. It says itself: ${message}`
    : `${message} (before, a native addon was refused, which plugins cannot load: ${name})`;
}

const IS_ABOUT_ADDONS = /native|binding|\.node\b|module using the/i;

const POSITION = /:\d+:\d+/;

/** The author's line a stack begins at, relative to the entry's folder. */
function firstPlace(stack: string, entry: string): string {
  const folder = entry.slice(0, entry.lastIndexOf("/") + 1);
  for (const line of stack.split("\n")) {
    const start = line.indexOf(folder);
    const match = start < 0 ? null : /^([^()]*:\d+:\d+)/.exec(line.slice(start + folder.length));
    if (match) {
      return match[1] as string;
    }
  }
  return "";
}

type Factory = (svc: unknown) => unknown;

/** Loads the server entry and runs its factory to the end. */
export async function loadPlugin(runtime: HostRuntime, entry: string, svc: unknown): Promise<void> {
  const factory = defaultExport(await runtime.loadModule(entry));
  if (typeof factory !== "function") {
    const found = factory === undefined ? "nothing" : `a value of type ${typeof factory}`;
    throw new LoadFailure(
      `the server entry must export a function: "export default function (svc) { … }"; its default export is ${found}`,
      "",
    );
  }
  await (factory as Factory)(svc);
}

/** CommonJS output of a compiler wraps the default export once more. */
function defaultExport(namespace: Record<string, unknown>): unknown {
  const first = namespace.default;
  const wrapped = typeof first === "object" && first !== null ? (first as { default?: unknown }).default : undefined;
  return typeof wrapped === "function" ? wrapped : first;
}
