import { hasActiveApp, type PluginBundle, type PluginRecord } from "@/api/records";

import { publishPlugins } from "./active";
import { type CandidateError, prepareCandidate, type Candidate, type CandidateDeps } from "./candidate";
import { clearCrashes } from "./crashes";
import { describeFailure, diagnosticsNow, forgetDiagnostics, updateDiagnostics } from "./diagnostics";
import { reportLoaded, reportNotes, reportPluginFailure } from "./failures";
import { startScripts, type RunningScripts, type ScriptDeps } from "./scripts";
import type { StyleSheets } from "./style_sheets";
import type { ActivePlugin } from "./types";

/** `L:publish-hold` — milliseconds that a prepared entry waits for others, so that the window renders once for all. */
export const kPublishHoldMs = 150;

/** A bundle that failed, in words for people. */
export interface FailedBundle {
  readonly pluginId: string;
  readonly name: string;
  readonly message: string;
  readonly hash: string;
  /** Whether the previous version stays in use. */
  readonly isStale: boolean;
  /** Whether another time may go well. */
  readonly isTemporary: boolean;
}

export interface PluginHostDeps extends CandidateDeps, Pick<ScriptDeps, "setThreadRowStatus"> {
  readonly styleSheets: Pick<StyleSheets, "prepare" | "clear">;
  readonly scriptHolds: ScriptDeps["holds"];
  /** The plugin on the current page. */
  urgentPluginId(): string | null;
  /** Once per failed hash. */
  notifyFailure(failed: FailedBundle): void;
  /** The service does not have a bundle any more that its record named. */
  refresh(): void;
}

interface Attempt {
  readonly hash: string;
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

/** A plugin this window knows; it outlives what is in use, because generations and tries go on counting. */
interface Entry {
  readonly pluginId: string;
  record: PluginRecord;
  generation: number;
  tries: number;
  current: { plugin: ActivePlugin; scripts: RunningScripts } | undefined;
  attempt: Attempt | undefined;
  /** Not tried again by itself, unless the failure was temporary. */
  failed: { hash: string; isTemporary: boolean } | undefined;
  /** Hashes that failed once: people were told, and the browser remembers their URL. */
  readonly failedOnce: Set<string>;
}

interface Ready {
  readonly entry: Entry;
  readonly attempt: Attempt;
  readonly record: PluginRecord;
  readonly candidate: Candidate;
  resolve(): void;
}

/** Brings the app entries of the window into line with records of the service: loads, replaces and removes them. */
export class PluginHost {
  readonly #deps: PluginHostDeps;
  readonly #entries = new Map<string, Entry>();
  #ready: Ready[] = [];
  #holdTimer: ReturnType<typeof setTimeout> | undefined;
  /** Attempts that are not ready yet. */
  #preparing = 0;

  constructor(deps: PluginHostDeps) {
    this.#deps = deps;
  }

  /** Idempotent: nothing happens for what is in use, on its way or known to fail. */
  apply(records: readonly PluginRecord[]): void {
    const wanted = new Map(records.filter(hasActiveApp).map((record) => [record.id, record]));
    // While the service starts, nothing is known of how it ends: pages stay as they are instead of losing what people typed.
    const undecided = new Set(records.filter(({ status }) => status === "starting").map(({ id }) => id));
    let isChanged = false;
    for (const entry of this.#entries.values()) {
      if (!wanted.has(entry.pluginId) && !undecided.has(entry.pluginId)) {
        isChanged = this.#deactivate(entry) || isChanged;
        forgetDiagnostics(entry.pluginId);
      }
    }
    for (const record of wanted.values()) {
      isChanged = this.#applyRecord(record) || isChanged;
    }
    if (isChanged) {
      this.#publish();
    }
  }

  /** What could not be reached is tried again at the next `apply`. */
  forgetTemporaryFailures(): void {
    for (const entry of this.#entries.values()) {
      if (entry.failed?.isTemporary === true) {
        entry.failed = undefined;
      }
    }
  }

  /** Tries the bundle of the last record again. Resolves when it is in use or has failed. */
  async retry(pluginId: string): Promise<void> {
    const entry = this.#entries.get(pluginId);
    const bundle = entry?.record.app.bundle;
    if (entry?.failed !== undefined && bundle != null && bundle.compatible) {
      this.#start(entry, entry.record, bundle);
    } else {
      // There was no bundle to try; perhaps there is one by now.
      this.#deps.refresh();
    }
    await entry?.attempt?.done;
  }

  /** The page goes away, or the window stops using plugins. */
  disposeAll(): void {
    clearTimeout(this.#holdTimer);
    for (const entry of this.#entries.values()) {
      this.#deactivate(entry);
    }
    this.#publish();
  }

  /** Returns whether something has to be published. */
  #applyRecord(record: PluginRecord): boolean {
    const entry = this.#entry(record);
    entry.record = record;
    const bundle = record.app.bundle;
    if (bundle === null) {
      return this.#applyNoBundle(entry);
    }
    if (!bundle.compatible) {
      const isChanged = this.#deactivate(entry);
      updateDiagnostics(entry.pluginId, { state: "needs-update", generation: entry.generation, hash: null, contentScripts: [] });
      return isChanged;
    }
    if (entry.current?.plugin.hash === bundle.hash) {
      return this.#refreshCurrent(entry, entry.current, record);
    }
    if (entry.attempt?.hash !== bundle.hash && entry.failed?.hash !== bundle.hash) {
      this.#start(entry, record, bundle);
    }
    return false;
  }

  #applyNoBundle(entry: Entry): boolean {
    const isChanged = this.#deactivate(entry);
    const { hasApp } = entry.record.app;
    if (!hasApp) {
      forgetDiagnostics(entry.pluginId);
    } else if (diagnosticsNow(entry.pluginId)?.state !== "failed") {
      const message = entry.record.statusDetail ?? "the app entry has no bundle; build it with `svc plugin build`";
      updateDiagnostics(entry.pluginId, {
        state: "failed",
        generation: entry.generation,
        hash: null,
        contentScripts: [],
        lastFailure: { phase: "load", at: Date.now(), message },
      });
    }
    return isChanged;
  }

  /** The bundle in use is the one of the record. */
  #refreshCurrent(entry: Entry, current: NonNullable<Entry["current"]>, record: PluginRecord): boolean {
    this.#abandon(entry);
    if (entry.failed !== undefined) {
      // The service went back to what is in use.
      entry.failed = undefined;
      updateDiagnostics(entry.pluginId, { state: "active", failedHash: undefined, lastFailure: undefined });
    }
    const { plugin } = current;
    if (plugin.serverGeneration === record.generation && plugin.name === record.name) {
      return false;
    }
    if (plugin.serverGeneration !== record.generation) {
      clearCrashes(entry.pluginId);
    }
    current.plugin = { ...plugin, serverGeneration: record.generation, name: record.name };
    return true;
  }

  #entry(record: PluginRecord): Entry {
    let entry = this.#entries.get(record.id);
    if (entry === undefined) {
      entry = {
        pluginId: record.id,
        record,
        generation: 0,
        tries: 0,
        current: undefined,
        attempt: undefined,
        failed: undefined,
        failedOnce: new Set(),
      };
      this.#entries.set(record.id, entry);
    }
    return entry;
  }

  #abandon(entry: Entry): void {
    entry.attempt?.controller.abort();
    entry.attempt = undefined;
  }

  /** Returns whether it was in use. */
  #deactivate(entry: Entry): boolean {
    this.#abandon(entry);
    entry.failed = undefined;
    const { current } = entry;
    if (current === undefined) {
      return false;
    }
    entry.current = undefined;
    void current.scripts.dispose();
    clearCrashes(entry.pluginId);
    this.#deps.styleSheets.clear(entry.pluginId);
    return true;
  }

  // Replacement

  #start(entry: Entry, record: PluginRecord, bundle: PluginBundle): void {
    this.#abandon(entry);
    const controller = new AbortController();
    let resolve = () => {};
    const done = new Promise<void>((resolved) => (resolve = resolved));
    const attempt: Attempt = { hash: bundle.hash, controller, done };
    entry.attempt = attempt;
    this.#preparing += 1;
    const request = {
      pluginId: entry.pluginId,
      bundle,
      signal: controller.signal,
      nextTry: this.#counter(entry, entry.failedOnce.has(bundle.hash)),
      nextGeneration: () => (entry.generation += 1),
      isCurrent: (generation: number) => entry.current?.plugin.generation === generation,
    };
    prepareCandidate(request, this.#deps).then(
      (candidate) => {
        this.#preparing -= 1;
        this.#becomeReady({ entry, attempt, record, candidate, resolve });
      },
      (failure: CandidateError) => {
        this.#preparing -= 1;
        if (entry.attempt === attempt) {
          entry.attempt = undefined;
          this.#fail(entry, bundle.hash, failure);
        }
        resolve();
        this.#commitIfComplete();
      },
    );
  }

  /** 0 for the first request of a bundle, then numbers that this plugin has not used in this window. */
  #counter(entry: Entry, hasFailed: boolean): () => number {
    let isFirst = !hasFailed;
    return () => {
      if (isFirst) {
        isFirst = false;
        return 0;
      }
      return (entry.tries += 1);
    };
  }

  #fail(entry: Entry, hash: string, failure: CandidateError): void {
    const { pluginId, record, current } = entry;
    entry.failed = { hash, isTemporary: failure.isTemporary };
    const isStale = current !== undefined;
    updateDiagnostics(pluginId, {
      state: isStale ? "stale" : "failed",
      generation: current?.plugin.generation ?? entry.generation,
      hash: current?.plugin.hash ?? null,
      failedHash: hash,
    });
    const said = describeFailure(failure.cause);
    console.error(`${pluginId}: the bundle ${hash} failed (${failure.phase}): ${said.message}`, failure.cause);
    reportPluginFailure(pluginId, failure.phase, failure.cause, undefined, hash);
    if (failure.isTemporary) {
      this.#deps.refresh();
    }
    if (!entry.failedOnce.has(hash)) {
      entry.failedOnce.add(hash);
      this.#deps.notifyFailure({ pluginId, name: record.name, message: said.message, hash, isStale, isTemporary: failure.isTemporary });
    }
  }

  #becomeReady(ready: Ready): void {
    this.#ready.push(ready);
    if (ready.entry.pluginId === this.#deps.urgentPluginId()) {
      this.#commit();
      return;
    }
    this.#holdTimer ??= setTimeout(() => this.#commit(), kPublishHoldMs);
    this.#commitIfComplete();
  }

  #commitIfComplete(): void {
    if (this.#preparing === 0 && this.#ready.length > 0) {
      this.#commit();
    }
  }

  /** One publication for everything that is ready. */
  #commit(): void {
    clearTimeout(this.#holdTimer);
    this.#holdTimer = undefined;
    const all = this.#ready;
    this.#ready = [];
    const starts = all.filter((ready) => this.#isWanted(ready)).map((ready) => this.#takeOver(ready));
    if (starts.length > 0) {
      this.#publish();
      starts.forEach((start) => start());
    }
    all.forEach(({ resolve }) => resolve());
  }

  #isWanted({ entry, attempt, candidate }: Ready): boolean {
    if (entry.attempt === attempt) {
      return true;
    }
    candidate.sheet.discard();
    return false;
  }

  /** Ends the previous entry and puts the new one in its place; returns what is to happen after the publication. */
  #takeOver({ entry, record, candidate }: Ready): () => void {
    const { pluginId } = entry;
    const { generation, app, sheet } = candidate;
    const hash = record.app.bundle!.hash;
    clearCrashes(pluginId);
    const before = entry.current?.scripts.dispose() ?? Promise.resolve();
    const plugin: ActivePlugin = Object.freeze({
      pluginId,
      name: entry.record.name,
      hash,
      generation,
      serverGeneration: entry.record.generation,
      app,
    });
    entry.attempt = undefined;
    entry.failed = undefined;
    // Its own are mounted after the publication: scripts look for what the new slots render.
    const current = { plugin, scripts: { dispose: () => before } as RunningScripts };
    entry.current = current;
    return () => {
      sheet.commit();
      const { unsupported } = app;
      updateDiagnostics(pluginId, {
        state: "active",
        generation,
        hash,
        failedHash: undefined,
        lastFailure: undefined,
        contentScripts: [],
        warnings: app.warnings,
        unsupported,
      });
      if (entry.failedOnce.has(hash) || entry.record.problems.some(({ code }) => code === "ui_failed")) {
        reportLoaded(pluginId, hash, generation);
      }
      reportNotes(pluginId, hash, generation, app.warnings, unsupported);
      current.scripts = startScripts(plugin, before, {
        holds: this.#deps.scriptHolds,
        setThreadRowStatus: this.#deps.setThreadRowStatus,
        onFailure: reportPluginFailure,
        onStates: (of, contentScripts) => {
          if (entry.current?.plugin.generation === of.generation) {
            updateDiagnostics(pluginId, { contentScripts });
          }
        },
      });
    };
  }

  #publish(): void {
    publishPlugins([...this.#entries.values()].flatMap(({ current }) => (current === undefined ? [] : [current.plugin])));
  }
}
