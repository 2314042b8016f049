import { mountContentScripts } from "#sdk/app_policy/content_scripts.js";

import type { ActivePlugin, ContentScriptState, FailurePhase } from "./types";

export interface ScriptDeps {
  /** Guards the DOM and holds the stylesheet while scripts of the plugin run; each returns what ends it. */
  holds: readonly ((pluginId: string) => () => void)[];
  setThreadRowStatus: typeof import("./thread_rows").setThreadRowStatus;
  onFailure(pluginId: string, phase: FailurePhase, failure: unknown, slot: string): void;
  onStates(plugin: ActivePlugin, states: readonly ContentScriptState[]): void;
}

/** The content scripts of one app entry. */
export interface RunningScripts {
  /** Aborts them at once; resolves when their disposers ended. The second call waits for the first. */
  dispose(): Promise<void>;
}

/** Mounts the content scripts of an entry after `before`, the end of those it replaces. */
export function startScripts(plugin: ActivePlugin, before: Promise<void>, deps: ScriptDeps): RunningScripts {
  const { pluginId, generation, app } = plugin;
  if (app.contentScripts.length === 0) {
    return { dispose: async () => undefined };
  }
  const states = new Map<string, ContentScriptState>(app.contentScripts.map(({ id }) => [id, { id, state: "mounting" as const }]));
  let isOver = false;
  let end: (() => Promise<void>) | undefined;
  let disposal: Promise<void> | undefined;

  function mount() {
    const releases = deps.holds.map((hold) => hold(pluginId));
    const scripts = mountContentScripts(app.contentScripts, {
      pluginId,
      generation,
      setThreadRowStatus: (scriptId, threadId, status) => deps.setThreadRowStatus({ pluginId, generation, scriptId }, threadId, status),
      onFailure: (scriptId, phase, failure) => {
        console.error(`${pluginId}: content script "${scriptId}" failed (${phase})`, failure);
        deps.onFailure(pluginId, phase, failure, `contentScripts ${scriptId}`);
      },
      onState: (id, state) => {
        states.set(id, { id, state });
        if (!isOver) {
          deps.onStates(plugin, [...states.values()]);
        }
      },
    });
    return async () => {
      await scripts.dispose();
      releases.forEach((release) => release());
    };
  }

  void before.then(() => {
    if (!isOver) {
      end = mount();
    }
  });
  return {
    dispose: () => {
      isOver = true;
      return (disposal ??= end?.() ?? Promise.resolve());
    },
  };
}
