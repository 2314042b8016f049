import type { ImportPool } from "./import_pool";

// Milliseconds.
/** `L:import` */
export const kImportMs = 30_000;
/** `L:import-retries` */
export const kImportRetriesMs = [1000, 3000, 9000] as const;

/** What the service says about a URL that could not be imported. */
export interface Probe {
  /** 0 when nothing answered. */
  readonly status: number;
  readonly contentType: string;
}

export interface LoaderDeps {
  importModule(url: string): Promise<{ default?: unknown }>;
  probe(url: string, signal: AbortSignal): Promise<Probe>;
  /** Ends early, without a failure, when `signal` aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/**
 * `network`: the service was not reached, so another time may go well. `timeout`: it or the bundle never came to an end. `missing`:
 * the service no longer has this version. `code`: the bundle itself is wrong.
 */
export type LoadFailureKind = "network" | "timeout" | "missing" | "code";

export class BundleLoadError extends Error {
  readonly kind: LoadFailureKind;

  constructor(kind: LoadFailureKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "BundleLoadError";
    this.kind = kind;
    // Where the bundle threw is of more use than where this was noticed.
    if (cause instanceof Error && cause.stack !== undefined) {
      this.stack = cause.stack;
    }
  }
}

export interface LoadRequest {
  /** Absolute, with the hash of the bundle. */
  readonly url: string;
  /** Bytes of JavaScript. */
  readonly size: number;
  readonly pluginId: string;
  /** Aborted when the bundle is not wanted any more: then nothing is tried again. */
  readonly signal: AbortSignal;
  /** The number for another try: browsers remember that a module failed, under its whole URL. 0 is the first try ever. */
  nextTry(): number;
}

/** Imports a bundle and returns its default export. Rejects with `BundleLoadError`. */
export async function loadBundle(request: LoadRequest, pool: ImportPool, deps: LoaderDeps): Promise<unknown> {
  for (let retry = 0; ; retry += 1) {
    const failure = await tryOnce(request, pool, deps);
    if (!(failure instanceof BundleLoadError)) {
      return failure.value;
    }
    const wait = kImportRetriesMs[retry];
    if (failure.kind !== "network" || wait === undefined) {
      throw failure;
    }
    await deps.sleep(wait, request.signal);
    if (request.signal.aborted) {
      throw failure;
    }
  }
}

/** A place in the pool is held for the import only, so one that waits for its next try keeps nobody from loading. */
async function tryOnce(request: LoadRequest, pool: ImportPool, deps: LoaderDeps): Promise<{ value: unknown } | BundleLoadError> {
  const count = request.nextTry();
  const url = count === 0 ? request.url : `${request.url}&r=${count}`;
  try {
    const module = await pool.run(request, () => withTimeout(deps.importModule(url)));
    return { value: module.default };
  } catch (failure) {
    return failure instanceof BundleLoadError ? failure : classify(failure, url, request.signal, deps);
  }
}

async function withTimeout<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new BundleLoadError("timeout", `the bundle was not imported within ${kImportMs / 1000} s`)), kImportMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

// How Chromium, Firefox and WebKit say that a module was not fetched. A bundle that throws says something else.
const kNotFetched =
  /Failed to fetch dynamically imported module|error loading dynamically imported module|Importing a module script failed/i;

async function classify(failure: unknown, url: string, signal: AbortSignal, deps: LoaderDeps): Promise<BundleLoadError> {
  const message = failure instanceof Error ? failure.message : String(failure);
  if (failure instanceof SyntaxError) {
    return new BundleLoadError("code", `the bundle is not valid JavaScript: ${message}`, failure);
  }
  if (!(failure instanceof TypeError) || !kNotFetched.test(message)) {
    return new BundleLoadError("code", `the bundle failed while it was imported: ${message}`, failure);
  }
  const { status, contentType } = await deps.probe(url, signal);
  if (status === 0 || status >= 500) {
    const why = status === 0 ? "the service cannot be reached" : `the service answers with HTTP status ${status}`;
    return new BundleLoadError("network", `the bundle could not be fetched: ${why}`, failure);
  }
  if (status === 404) {
    return new BundleLoadError("missing", "the service does not have this version of the bundle any more; reload the plugin", failure);
  }
  if (status >= 400 || !/javascript/.test(contentType)) {
    return new BundleLoadError(
      "code",
      `the bundle could not be fetched: the service answers with HTTP status ${status}, type "${contentType}"`,
      failure,
    );
  }
  // The bundle is there now. Either the first request was unlucky, or something that it imports in turn does not exist.
  return new BundleLoadError("network", "the bundle could not be fetched, or it imports a module that does not exist", failure);
}
