// Runs the official conformance suite of MCP against a server with the fixtures: every scored scenario of three revisions. It asks
// for the number of checks that passed, too, because a server that is gone "passes" a few scenarios; and for the scenarios that
// fail, because the suite forgives what it does not score.
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const kSuite = "@modelcontextprotocol/conformance@0.2.0-alpha.12";
/** Of the scenarios of the skills extension. */
const kSkillChecks = { enumeration: 32, manifest: 6, directory: 7 };
/** Skills of the user, with what scenarios look at: nested files, bytes, an executable. */
const kSkills = {
  "code-review/SKILL.md":
    "---\nname: code-review\ndescription: How to review. Use when a change is to be judged.\nlicense: MIT\nmetadata:\n  version: '1.0'\n---\n\n# Review\n\nSee [the list](references/list.md).\n",
  "code-review/references/list.md": "# List\n\n- Names\n- Tests\n",
  "code-review/references/deep/more.txt": "more\n",
  "code-review/assets/dot.png": Buffer.from("89504e470d0a1a0aff", "hex"),
  "code-review/scripts/run.sh": "#!/bin/sh\n",
  "release-notes/SKILL.md": "---\nname: release-notes\ndescription: Writes release notes.\n---\n\n# Notes\n",
};
/** Not scored and not there: tasks are an extension. */
const kNotThere = /^tasks-/;
/** What is asked of the suite, and how many checks pass. */
const kRuns = [
  { args: ["--requirements", "2025-11-25"], checks: 78 },
  { args: ["--requirements", "2026-07-28"], checks: 164 },
  { args: ["--suite", "all", "--spec-version", "2025-06-18"], checks: 54 },
  ...["enumeration", "manifest", "directory"].map((name) => ({
    args: ["--scenario", `sep-2640-skills-${name}`, "--spec-version", "2026-07-28", "--force"],
    checks: kSkillChecks[name],
  })),
];

const bin = process.env.SVC_BIN_DIR ?? join(import.meta.dirname, "../../../build/dev/bin");
const data = mkdtempSync(join(tmpdir(), "svc-mcp-"));
for (const [name, content] of Object.entries(kSkills)) {
  const file = join(data, "skills", name);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, content);
}
chmodSync(join(data, "skills/code-review/scripts/run.sh"), 0o755);
const server = spawn(
  join(bin, "svcd"),
  [
    "--listen",
    "127.0.0.1:0",
    "--data-dir",
    data,
    "--modules",
    "storage-memory,http,jsruntime,plugins,cli,agents,skills,mcp",
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
    const passed = Number(/(?:Total|Passed):\s*(\d+)(?: passed|\/\d+)/.exec(output)?.[1] ?? 0);
    const unexpected = [...output.matchAll(/^✗ (\S+): \d+ passed/gm)].map(([, name]) => name).filter((name) => !kNotThere.test(name));
    const good = run.status === 0 && passed === checks && unexpected.length === 0;
    failed ||= !good;
    console.log(
      `${good ? "passed" : "FAILED"}: ${args.join(" ")}: ${passed} checks passed, ${checks} expected, exit ${run.status}` +
        (unexpected.length > 0 ? `, failed: ${unexpected.join(" ")}` : ""),
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
