import { defineConfig } from "@playwright/test";

import base from "./playwright.config";

/** `scripts/screenshots`: the same harness as the browser tests, but it writes pictures. */
export default defineConfig(base, { testMatch: "**/*.shots.ts", reporter: [["list"]] });
