import { clsx } from "clsx";
import { twMerge } from "tailwind-merge";
import { vi } from "vitest";

/** The window does not resolve conflicts between utilities at run time; every component test looks for them instead. */
vi.mock("@/ui/cn", () => ({
  cn: (...inputs: Parameters<typeof clsx>) => {
    const joined = clsx(...inputs);
    const kept = new Set(twMerge(joined).split(" "));
    const lost = joined.split(" ").filter((name) => !kept.has(name));
    if (lost.length > 0) {
      throw new Error(`utilities for one property meet in "${joined}": ${lost.join(" ")} would lose; mark what may be replaced with base:`);
    }
    return joined;
  },
}));
