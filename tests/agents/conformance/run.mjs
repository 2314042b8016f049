// Runs the official conformance suite of MCP against a server with the fixtures: every scored scenario of three revisions. It asks
// for the number of checks that passed, too, because a server that is gone "passes" a few scenarios.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const kSuite = "@modelcontextprotocol/conformance@0.2.0-alpha.12";
/** What is asked of the suite, and the least number of checks that pass. */
const kRuns = [
  { args: ["--requirements", "2025-11-25"], checks: 78 },
  { args: ["--requirements", "2026-07-28"], checks: 155 },
  { args: ["--suite", "all", "--spec-version", "2025-06-18"], checks: 54 },
];

const bin = process.env.SVC_BIN_DIR ?? join(import.meta.dirname, "../../../build/dev/bin");
const data = mkdtempSync(join(tmpdir(), "svc-mcp-"));
const server = spawn(
  join(bin, "svcd"),
  [
    "--listen",
    "127.0.0.1:0",
    "--data-dir",
    data,
    "--modules",
    "storage-memory,http,jsruntime,plugins,cli,agents,mcp",
    `--modules.path=${join(bin, "../tests/modules")}`,
    "--modules.add=mcpfixtures",
  ],
  { stdio: ["ignore", "pipe", "inherit"] },
);

function listening() {
  return new Promise((resolve, reject) => {
    let text = "";
    server.stdout.on("data", (piece) => {
      text += piece;
      const found = /listening on (http:\S+)/.exec(text);
      if (found) {
        resolve(found[1]);
      }
    });
    server.on("exit", (code) => reject(new Error(`svcd ended with ${code}`)));
  });
}

let failed = false;
try {
  const url = `${await listening()}/api/v1/mcp`;
  for (const { args, checks } of kRuns) {
    const run = spawnSync("npx", ["-y", "-p", "node@22", "-p", kSuite, "conformance", "server", "--url", url, ...args], {
      encoding: "utf8",
      cwd: data,
    });
    const output = run.stdout + run.stderr;
    const passed = Number(/Total:\s*(\d+) passed/.exec(output)?.[1] ?? 0);
    const good = run.status === 0 && passed >= checks;
    failed ||= !good;
    console.log(
      `${good ? "passed" : "FAILED"}: ${args.join(" ")}: ${passed} checks passed, at least ${checks} expected, exit ${run.status}`,
    );
    if (!good || process.env.SVC_VERBOSE) {
      console.log(output);
    }
  }
} finally {
  server.removeAllListeners("exit");
  server.kill();
  rmSync(data, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
