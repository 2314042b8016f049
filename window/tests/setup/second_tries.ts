import { appendFileSync } from "node:fs";

import type { Reporter, TestModule } from "vitest/node";

/** As its namesake of the tests in the browser: names what passed at its second try only. */
export default class SecondTries implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const file = process.env.SVC_SECOND_TRIES;
    for (const module of file === undefined ? [] : modules) {
      for (const test of module.children.allTests()) {
        if (test.diagnostic()?.flaky === true) {
          appendFileSync(file as string, `${module.relativeModuleId} > ${test.fullName}\n`);
        }
      }
    }
  }
}
