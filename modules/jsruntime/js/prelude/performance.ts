/** The classes of perf_hooks as globals, which they are since Node 19. */
import type { BuiltinRequire } from "../binding.js";
import { addLazyGlobal } from "./define.js";

const kClasses = [
  "PerformanceEntry",
  "PerformanceMark",
  "PerformanceMeasure",
  "PerformanceObserver",
  "PerformanceObserverEntryList",
  "PerformanceResourceTiming",
] as const;

export function addPerformanceClasses(builtin: BuiltinRequire): void {
  for (const name of kClasses) {
    addLazyGlobal(name, () => builtin<Record<string, unknown>>("perf_hooks")[name]);
  }
}
