import type { EnvironmentIntent } from "#sdk/records.js";

import { readPreference, writePreference } from "@/lib/preferences";
import type { ExecutionChoice } from "./execution";

/** What was chosen for a new thread over what it starts with. */
export interface Choice extends ExecutionChoice {
  /** Null: no project. Absent: as the seeds say. */
  projectId?: string | null;
  providerId?: string;
  environment?: EnvironmentIntent;
}

const kPrefix = "svc.draft-choice.";
const kLast = "new-thread.last";
const kTexts = ["providerId", "model", "reasoningLevel", "permissionMode"] as const;

/** What of a stored value is a choice. */
function choiceFrom(value: unknown): Choice {
  const stored = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  const { projectId, environment } = stored;
  return {
    ...Object.fromEntries(kTexts.flatMap((name) => (typeof stored[name] === "string" ? [[name, stored[name]]] : []))),
    ...(projectId === null || typeof projectId === "string" ? { projectId } : {}),
    ...(typeof (environment as { type?: unknown } | null | undefined)?.type === "string"
      ? { environment: environment as EnvironmentIntent }
      : {}),
  };
}

/** The choice that belongs to a draft of this tab, made for the same `seeds`. */
export function loadChoice(draftKey: string, seeds: string): Choice {
  try {
    const kept = JSON.parse(sessionStorage.getItem(kPrefix + draftKey) ?? "null") as { seeds?: unknown; choice?: unknown } | null;
    return kept?.seeds === seeds ? choiceFrom(kept.choice) : {};
  } catch {
    return {};
  }
}

export function keepChoice(draftKey: string, seeds: string, choice: Choice): void {
  try {
    sessionStorage.setItem(kPrefix + draftKey, JSON.stringify({ seeds, choice }));
  } catch {
    // Storage is full or refused: the choice lasts as long as the page.
  }
}

export function forgetChoice(draftKey: string): void {
  try {
    sessionStorage.removeItem(kPrefix + draftKey);
  } catch {
    // Nothing was kept.
  }
}

/** What the last thread of this browser was started with; no place, which is of one project and may be gone. */
export function lastChoice(): Choice {
  const { environment: _place, ...last } = choiceFrom(readPreference(kLast, {}));
  return last;
}

export function rememberChoice({ environment: _place, ...choice }: Choice): void {
  const last = lastChoice();
  const isOtherAgent = choice.providerId !== undefined && choice.providerId !== last.providerId;
  // The model of another agent is none of this one's.
  const { model: _model, reasoningLevel: _level, ...ofAnyAgent } = last;
  writePreference(kLast, { ...(isOtherAgent ? ofAnyAgent : last), ...choice } as Record<string, string | null>);
}
