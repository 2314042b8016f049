import type { JsonValue } from "#sdk/json.js";

import { ApiError } from "@/lib/api_error";

/** How the last save of a field went. */
export type SaveState =
  | { kind: "idle" | "saving" | "saved" }
  /** `canRetry`: the server did not judge the value, so sending it again makes sense. */
  | { kind: "failed"; message: string; canRetry: boolean };

export const kIdle: SaveState = { kind: "idle" };
export const kSaving: SaveState = { kind: "saving" };
export const kSaved: SaveState = { kind: "saved" };

/** The message for one key, from the issues of a refused save. */
export function saveFailure(key: string, error: unknown): { message: string; isRefused: boolean } {
  if (!(error instanceof ApiError)) {
    return { message: error instanceof Error ? error.message : String(error), isRefused: false };
  }
  const own = (error.issues ?? []).filter(({ path }) => path?.[0] === "values" && path[1] === key);
  const isRefused = error.code === "invalid_input" || error.code === "too_large";
  return { message: own.length > 0 ? own.map(({ message }) => message).join(" ") : error.message, isRefused };
}

/** Sends one value; resolves when the server has stored it and the form has taken over its answer. */
export type SendValue = (key: string, value: JsonValue | null) => Promise<void>;
