/** Web globals of Node 22 that an older Node lacks. */
import type { Binding, BuiltinRequire } from "../binding.js";
import { addBytes } from "./bytes.js";
import { addLazyGlobal, addMissing } from "./define.js";
import { whenFetchLoads } from "./fetch_classes.js";
import { addPerformanceClasses } from "./performance.js";
import { keepSetCookies } from "./set_cookies.js";

/** The major version whose classes of fetch lack nothing. */
const kOfBytes = 24;

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
  addMissing(ReadableStream, { from: readableStreamFrom });
  addPerformanceClasses(builtin);
  addBytes(builtin<typeof import("node:buffer")>("buffer").Blob);
  // A newer Node loads all of fetch for a look at its properties.
  if (Number.parseInt(process.versions.node) < kOfBytes) {
    whenFetchLoads(() => {
      keepSetCookies();
      addBytes(Request, Response);
    });
  }
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

/** As ReadableStream.from: pulls from the iterator, and ends it when the reader cancels. */
function readableStreamFrom<T>(source: AsyncIterable<T> | Iterable<T>): ReadableStream<T> {
  const make = (source as AsyncIterable<T>)[Symbol.asyncIterator] ?? (source as Iterable<T>)[Symbol.iterator];
  if (typeof make !== "function") {
    throw new TypeError("ReadableStream.from needs an iterable");
  }
  const iterator = make.call(source) as AsyncIterator<T>;
  return new ReadableStream<T>(
    {
      async pull(controller) {
        const { done, value } = await iterator.next();
        if (done) {
          controller.close();
        } else {
          controller.enqueue(await value);
        }
      },
      async cancel(reason) {
        await iterator.return?.(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
