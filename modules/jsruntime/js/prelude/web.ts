/** Web globals of Node 22 that an older Node lacks. */
import type { Binding, BuiltinRequire } from "../binding.js";
import { addLazyGlobal, addMissing } from "./define.js";

export function addWebGlobals(process: NodeJS.Process, builtin: BuiltinRequire, binding: Binding): void {
  addLazyGlobal("crypto", () => builtin("crypto").webcrypto);
  addLazyGlobal("File", () => builtin("buffer").File);
  addLazyGlobal("CustomEvent", makeCustomEvent);
  addLazyGlobal("WebSocket", () => (binding.script("websocket") as () => unknown)());
  addLazyGlobal("navigator", () => makeNavigator(process, builtin));
  addMissing(URL, {
    canParse(url: string | URL, base?: string | URL) {
      try {
        return Boolean(new URL(url, base));
      } catch {
        return false;
      }
    },
    parse(url: string | URL, base?: string | URL) {
      try {
        return new URL(url, base);
      } catch {
        return null;
      }
    },
  });
  addMissing(AbortSignal, { any: abortSignalAny });
}

function makeCustomEvent(): unknown {
  return class CustomEvent extends Event {
    readonly detail: unknown;
    constructor(type: string, options?: EventInit & { detail?: unknown }) {
      super(type, options);
      this.detail = options?.detail ?? null;
    }
  };
}

function makeNavigator(process: NodeJS.Process, builtin: BuiltinRequire): object {
  const language = Intl.DateTimeFormat().resolvedOptions().locale;
  return Object.freeze({
    hardwareConcurrency: builtin("os").cpus().length as number,
    language,
    languages: Object.freeze([language]),
    platform: process.platform,
    userAgent: "Node.js/" + process.versions.node.split(".")[0],
  });
}

function abortSignalAny(signals: Iterable<AbortSignal>): AbortSignal {
  const controller = new AbortController();
  for (const signal of signals) {
    if (signal.aborted) {
      controller.abort(signal.reason);
      break;
    }
    signal.addEventListener("abort", () => controller.abort(signal.reason), { once: true, signal: controller.signal });
  }
  return controller.signal;
}
