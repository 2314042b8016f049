import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";

import { defineConfig } from "@playwright/test";

/** Debian's browser: nothing is downloaded. The shell without a browser around it takes a third less time of the processor. */
const kChromium = process.env.SVC_CHROMIUM ?? ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"].find(existsSync) ?? "chromium";
const kSecondTry = process.env.SVC_SECOND_TRIES !== undefined;
/** Chromium refuses to sandbox itself as root, which is who runs tests in containers. */
const kFlags = process.getuid?.() === 0 ? ["--no-sandbox"] : [];

export default defineConfig({
  testDir: fileURLToPath(new URL("./e2e", import.meta.url)),
  testMatch: "**/*.spec.ts",
  snapshotPathTemplate: "{testDir}/looks/{arg}{ext}",
  outputDir: fileURLToPath(new URL("../build/e2e", import.meta.url)),
  // Each file starts a server of its own, and waits for pages most of the time: more of them than processors, as ctest has.
  workers: Math.ceil(availableParallelism() * 1.5),
  fullyParallel: false,
  forbidOnly: process.env.CI !== undefined,
  // Only where SVC_SECOND_TRIES is a file is there a second try, and each is named in it: scripts/test refuses more than a few.
  retries: kSecondTry ? 1 : 0,
  // Bounds for what hangs, not for what is slow: a server with seven plugins takes most of a minute to begin on a machine that is shared.
  timeout: 90_000,
  expect: { timeout: 20_000, toHaveScreenshot: { maxDiffPixels: 20 } },
  reporter: [["list", { printSteps: false }], ["./e2e/support/second_tries.ts"]],
  use: {
    browserName: "chromium",
    launchOptions: { executablePath: kChromium, args: [...kFlags, "--disable-dev-shm-usage"] },
    viewport: { width: 1280, height: 800 },
    locale: "en-GB",
    timezoneId: "UTC",
    reducedMotion: "reduce",
    actionTimeout: 20_000,
    navigationTimeout: 30_000,
    // Recording costs a tenth of a run: where there is a second try, it is the one that is recorded.
    trace: kSecondTry ? "on-first-retry" : { mode: "retain-on-failure", screenshots: false },
    screenshot: "only-on-failure",
  },
});
