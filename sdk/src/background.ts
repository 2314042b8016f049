import type { MaybePromise } from "./json.js";

/** Work that goes on for as long as the plugin is loaded, as `svc.background.service` takes it. */
export interface PluginService {
  /**
   * Runs in the background from the end of the load; registered later, at once. Resolving ends the service normally: it
   * is not started again, so one that waits for a setting goes on until `settings.onChange` tells it. A throw, or a
   * failure that escapes from a callback it has set up, aborts the signal and starts it again after 1 s, doubling up to
   * 60 s; 5 minutes of health begin anew at 1 s. A failure during the load makes the plugin's status `error` until a
   * restart has held for 30 s. An Error whose `name` is `NeedsConfigurationError` stops it and makes the status
   * `needs-configuration`.
   *
   * @param signal Aborts when the run has failed and at the end of the load; 5 s remain to settle.
   */
  start(signal: AbortSignal): MaybePromise<void>;
}

/** One run of a schedule, as its function gets it. */
export interface PluginScheduleRun {
  /** Aborts after 15 minutes, and when this load ends. */
  readonly signal: AbortSignal;
  /** The time this run was due, in milliseconds since the epoch. */
  readonly scheduledAt: number;
  /** True when it was due before the server started: one run stands for all that were missed. */
  readonly missed: boolean;
}

/** `svc.background`: work that nobody calls, all the time or on a timetable. */
export interface PluginBackground {
  /**
   * @param name Letters, digits, `-` and `_`; unique within a load.
   * @throws TypeError on an invalid or duplicate name, or without `start`.
   */
  service(name: string, service: PluginService): void;
  /**
   * Runs `fn` on a timetable, also across restarts of the server: a run that was missed meanwhile happens once at start.
   * One run at a time; what is due during a run is skipped. A throw is shown by `svc plugin list` and leaves the plugin's
   * status alone.
   *
   * @param name Letters, digits, `-` and `_`; unique within a load. It identifies the schedule across loads.
   * @param cron `minute hour day-of-month month day-of-week` in the server's time zone, with names, ranges, lists and
   *   steps (`0,30 8-18 * * mon-fri`, `0-59/5 * * * *`), or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`. When
   *   both day fields are restricted, either may match. A time that a clock change skips is moved forward, one that it
   *   repeats runs once; a schedule of every hour follows the clock.
   * @throws TypeError with the position of an error in the expression, and on an invalid or duplicate name.
   */
  schedule(name: string, cron: string, fn: (run: PluginScheduleRun) => MaybePromise<void>): void;
}
