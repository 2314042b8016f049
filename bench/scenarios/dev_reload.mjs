import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { followed, mustRun, scaffold } from "../lib/dev_loop.mjs";
import { peer, svc } from "../lib/paths.mjs";
import { withSvcd } from "../lib/processes.mjs";
import { line } from "../lib/stats.mjs";
import { inTurns } from "../lib/turns.mjs";

export const name = "dev_reload";
export const summary = "from a save to the running new code with `svc plugin dev`, against `tsx watch` restarting the same code";

const kTsx = "tsx@4.23.15";
/** Both wait for more changes before they begin; that is a choice, not speed, so it is taken off. */
const kOurDebounceMs = 300;
const kTsxDebounceMs = 100;

/** A turn: saves `file`, which differs each time, and waits for the line; milliseconds after the debounce. */
function save(next, file, pattern, debounceMs) {
  const text = readFileSync(file, "utf8");
  let saved = 0;
  return async () => {
    const line = next(pattern);
    const start = performance.now();
    writeFileSync(file, `${text}\n// ${++saved}\n`);
    await line;
    return { operations: 1, ms: performance.now() - start - debounceMs };
  };
}

/** Runs `work({ pid, measure })` while `tsx watch` restarts a copy of the plugin's server entry. */
async function withTsx(dir, plugin, work) {
  const copy = join(dir, "restarted");
  mkdirSync(copy);
  for (const file of ["server.ts", "package.json", "tsconfig.json", "node_modules"]) {
    cpSync(join(plugin, file), join(copy, file), { recursive: true, verbatimSymlinks: true });
  }
  cpSync(peer("restart_main.ts"), join(copy, "main.ts"));
  mustRun("npm", ["install", "--prefix", join(dir, "tsx"), "--prefer-offline", "--no-fund", "--no-audit", kTsx]);
  return followed(join(dir, "tsx/node_modules/.bin/tsx"), ["watch", "main.ts"], { cwd: copy }, async (next, pid) => {
    await next(/^restarted$/);
    return work({ pid, measure: save(next, join(copy, "server.ts"), /^restarted$/, kTsxDebounceMs) });
  });
}

export async function run({ form, log }) {
  const how = { rounds: form === "full" ? 25 : 5, log, tell: ({ ms }) => `${ms.toFixed(0)} ms` };
  const dir = mkdtempSync(join(tmpdir(), "svc-dev-"));
  try {
    const plugin = scaffold(dir);
    return await withSvcd([plugin], ({ pid, clientEnv }) =>
      followed(svc, ["plugin", "dev", plugin], { env: clientEnv }, (next) =>
        withTsx(dir, plugin, async (tsx) => {
          const ours = (file, pattern) => ({ pid, measure: save(next, join(plugin, file), pattern, kOurDebounceMs) });
          const server = await inTurns({ ours: ours("server.ts", /· reloaded bench$/), peer: tsx }, how);
          const app = await inTurns({ ours: ours("app.tsx", /rebuilt app in .* · reloaded bench$/) }, how);
          const row = (what, sides) =>
            line(sides, {
              scenario: `${name}_${what}`,
              member: "ms",
              unit: "ms after the debounce",
              better: "lower",
              peerName: "tsx watch",
            });
          return [row("server", server), row("app", app)];
        }),
      ),
    );
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
