import { api } from "@/api/http";

import type { FailurePhase } from "./types";

/** `L:report` — reports a window sends in one minute; what is beyond stays in the window's diagnostics. */
export const kReportsPerMinute = 20;
const kMinuteMs = 60_000;
/** Milliseconds that a report waits until its stack names the plugin's sources. */
export const kMapMs = 2000;

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
  /** With places in the plugin's sources where the bundle has a map. */
  stack?: string;
}

type Send = (pluginId: string, report: AppReport) => Promise<unknown>;

/** Replaces places in bundles by those in their sources; null for a stack without any. Never rejects. */
type MapStack = (stack: string) => Promise<string> | null;

/**
 * Limits how many reports leave the window; a report that cannot be delivered is dropped. Those of a plugin leave in the order in which
 * they came, however long a stack takes: that a bundle works is said after that it did not.
 */
export function createReporter(
  send: Send,
  now: () => number = Date.now,
  mapStack: MapStack = () => null,
): (pluginId: string, report: AppReport) => void {
  let sentAt: number[] = [];
  const waiting = new Map<string, Promise<void>>();
  const deliver = (pluginId: string, report: AppReport) => void send(pluginId, report).catch(() => undefined);

  async function deliverInTurn(pluginId: string, report: AppReport, before?: Promise<void>, stack?: Promise<string> | null): Promise<void> {
    const mapped = await stack;
    await before;
    deliver(pluginId, mapped === undefined || mapped === null ? report : { ...report, stack: mapped });
  }

  return (pluginId, report) => {
    sentAt = sentAt.filter((at) => at > now() - kMinuteMs);
    if (sentAt.length >= kReportsPerMinute) {
      return;
    }
    sentAt.push(now());
    const before = waiting.get(pluginId);
    const stack = report.stack === undefined ? null : mapStack(report.stack);
    if (before === undefined && stack === null) {
      deliver(pluginId, report);
      return;
    }
    const delivered = deliverInTurn(pluginId, report, before, stack).then(() => {
      if (waiting.get(pluginId) === delivered) {
        waiting.delete(pluginId);
      }
    });
    waiting.set(pluginId, delivered);
  };
}

const kBundle = /\/api\/v1\/plugins\/[^/\s]+\/assets\/app\.js/;

/** What maps is loaded with the first failure. A stack that takes longer than `kMapMs` is as it was. */
export function mapInTime(
  stack: string,
  load: () => Promise<{ mapStack(this: void, stack: string): Promise<string> }> = () => import("./locate"),
): Promise<string> | null {
  if (!kBundle.test(stack)) {
    return null;
  }
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<string>((resolve) => (timer = setTimeout(() => resolve(stack), kMapMs)));
  const mapped = load()
    .then(({ mapStack }) => mapStack(stack))
    .catch(() => stack);
  return Promise.race([mapped, late]).finally(() => clearTimeout(timer));
}

export const sendReport = createReporter(
  (pluginId, report) => api("POST", `/plugins/${encodeURIComponent(pluginId)}/app-report`, { body: report }),
  Date.now,
  mapInTime,
);
