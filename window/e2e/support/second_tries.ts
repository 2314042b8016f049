import { appendFileSync } from "node:fs";

import type { Reporter, Suite } from "@playwright/test/reporter";

/** Names the tests that passed at their second try only, for `scripts/test`, which refuses more than a few of them. */
export default class SecondTries implements Reporter {
  #suite: Suite | undefined;

  onBegin(_config: unknown, suite: Suite): void {
    this.#suite = suite;
  }

  onEnd(): void {
    const file = process.env.SVC_SECOND_TRIES;
    for (const test of file === undefined ? [] : (this.#suite?.allTests() ?? [])) {
      if (test.outcome() === "flaky") {
        appendFileSync(file as string, `${test.titlePath().filter(Boolean).join(" > ")}\n`);
      }
    }
  }
}
