// The database of the fake host: the cases that the server's own database and the better-sqlite3 package are held to.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";

import { createFakePluginHost } from "../dist/testing.js";

const cases = fileURLToPath(new URL("../../tests/unit/database/cases/", import.meta.url));
const { run } = createRequire(import.meta.url)(join(cases, "harness.cjs"));

const folder = mkdtempSync(join(tmpdir(), "svc-cases-"));
const { svc, harness } = createFakePluginHost({ pluginId: "cases" });
after(async () => {
  await harness.lifecycle.dispose();
  rmSync(folder, { recursive: true });
});

describe("the API of better-sqlite3", () => {
  const Database = svc.storage.database().constructor;
  for (const file of readdirSync(cases).filter((name) => name.endsWith(".cjs") && name !== "harness.cjs")) {
    it(file, async () => {
      const { count, failures } = await run(join(cases, file), Database, folder);
      assert.ok(count > 0);
      assert.deepEqual(failures, []);
    });
  }
});
