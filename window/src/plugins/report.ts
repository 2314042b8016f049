import { api } from "@/api/http";

import type { FailurePhase } from "./types";

/** `L:report` — reports a window sends in one minute; what is beyond stays in the window's diagnostics. */
export const kReportsPerMinute = 20;
const kMinuteMs = 60_000;

/** Body of `POST /plugins/:id/app-report`. */
export interface AppReport {
  hash: string;
  /** The mount generation. */
  generation: number;
  /** `loaded`: the bundle is in use in this window. */
  phase: FailurePhase | "loaded";
  /** Of the line in the plugin's log; `error` when it is not there. */
  level?: "warn" | "info";
  slot?: string;
  message: string;
  stack?: string;
}

type Send = (pluginId: string, report: AppReport) => Promise<unknown>;

/** Limits how many reports leave the window; a report that cannot be delivered is dropped. */
export function createReporter(send: Send, now: () => number = Date.now): (pluginId: string, report: AppReport) => void {
  let sentAt: number[] = [];
  return (pluginId, report) => {
    sentAt = sentAt.filter((at) => at > now() - kMinuteMs);
    if (sentAt.length < kReportsPerMinute) {
      sentAt.push(now());
      send(pluginId, report).catch(() => undefined);
    }
  };
}

export const sendReport = createReporter((pluginId, report) =>
  api("POST", `/plugins/${encodeURIComponent(pluginId)}/app-report`, { body: report }),
);
