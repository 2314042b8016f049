import { interpretPluginApp, isPluginApp } from "#sdk/app_policy/collector.js";
import type { CollectedPluginApp } from "#sdk/app_policy/collected.js";

import { url } from "@/lib/address";
import type { PluginBundle } from "@/api/records";

import { createDisclosure } from "./disclosures";
import type { ImportPool } from "./import_pool";
import { BundleLoadError, loadBundle, type LoaderDeps } from "./loader";
import type { PreparedSheet, StyleSheets } from "./style_sheets";
import type { FailurePhase } from "./types";

/** Bytes. `L:bundle-js` */
const kBundleJs = 16 * 1024 * 1024;

/** Why a bundle is not put to use. */
export class CandidateError extends Error {
  readonly phase: FailurePhase;
  /** Another time may go well: the service was not reached. */
  readonly isTemporary: boolean;

  constructor(phase: FailurePhase, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.phase = phase;
    this.isTemporary = cause instanceof BundleLoadError && cause.kind !== "code";
  }
}

/** A bundle on its way into the window. */
export interface CandidateRequest {
  readonly pluginId: string;
  readonly bundle: PluginBundle;
  readonly signal: AbortSignal;
  nextTry(): number;
  /** Counts an interpretation of the entry and returns the mount generation it is. */
  nextGeneration(): number;
  /** Whether that generation is the one in use. */
  isCurrent(generation: number): boolean;
}

/** An interpreted app entry whose stylesheet is there: nothing of it can fail any more. */
export interface Candidate {
  readonly generation: number;
  readonly app: CollectedPluginApp;
  readonly sheet: PreparedSheet;
}

export interface CandidateDeps extends LoaderDeps {
  readonly pool: ImportPool;
  readonly styleSheets: Pick<StyleSheets, "prepare">;
  installRuntime(): Promise<void>;
  /** Null: all of them. */
  loadLazySlots(names: readonly string[] | null): Promise<void>;
}

/** Everything of a replacement that can fail. Rejects with `CandidateError`, and has then changed nothing. */
export async function prepareCandidate(request: CandidateRequest, deps: CandidateDeps): Promise<Candidate> {
  const { pluginId, bundle, signal } = request;
  const definition = await inPhase("load", () => importEntry(request, deps));
  if (!isPluginApp(definition)) {
    throw new CandidateError("load", "the default export of the app entry must be the result of definePluginApp(setup)");
  }
  if (signal.aborted) {
    throw new CandidateError("load", "the bundle is not wanted any more");
  }
  const generation = request.nextGeneration();
  const app = await inPhase("setup", () =>
    interpretPluginApp(definition, {
      pluginId,
      createDisclosure: (id) => createDisclosure(pluginId, id, () => request.isCurrent(generation)),
    }),
  );
  const cssUrl = bundle.cssUrl === null ? null : url(bundle.cssUrl);
  const sheet = await inPhase("load", () => deps.styleSheets.prepare(pluginId, cssUrl, signal));
  return { generation, app, sheet };
}

async function inPhase<T>(phase: FailurePhase, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (failure) {
    throw new CandidateError(phase, failure);
  }
}

const kMissingSlot = /svc runtime slot "[^"]+" for "[^"]+" is missing/;

async function importEntry(request: CandidateRequest, deps: CandidateDeps): Promise<unknown> {
  const { pluginId, bundle, signal, nextTry } = request;
  if (bundle.jsBytes > kBundleJs) {
    throw new Error(`the bundle has ${inMebibytes(bundle.jsBytes)}, more than ${inMebibytes(kBundleJs)} (bundle-js)`);
  }
  await prepareRuntime(deps, bundle.runtimeSlots ?? []);
  const load = () => loadBundle({ pluginId, url: url(bundle.jsUrl), size: bundle.jsBytes, signal, nextTry }, deps.pool, deps);
  try {
    return await load();
  } catch (failure) {
    // The service need not tell which lazy slots a bundle uses; the bundle then says itself that one is missing.
    if (!(failure instanceof BundleLoadError) || !kMissingSlot.test(failure.message)) {
      throw failure;
    }
  }
  await prepareRuntime(deps, null);
  return load();
}

async function prepareRuntime(deps: CandidateDeps, lazySlots: readonly string[] | null): Promise<void> {
  try {
    await deps.installRuntime();
    if (lazySlots === null || lazySlots.length > 0) {
      await deps.loadLazySlots(lazySlots);
    }
  } catch (failure) {
    throw new BundleLoadError("network", "a part of the window that plugins need could not be loaded; reload the window", failure);
  }
}

function inMebibytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
