import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { followed, mustRun, scaffold } from "../lib/dev_loop.mjs";
import { peer, svc } from "../lib/paths.mjs";
import { withSvcd } from "../lib/processes.mjs";
import { median, result } from "../lib/stats.mjs";

export const name = "dev_reload";
export const summary = "from a save to the running new code with `svc plugin dev`, against `tsx watch` restarting the same code";

const kTsx = "tsx@4.23.15";
/** Both wait for more changes before they begin; that is a choice, not speed, so it is taken off. */
const kOurDebounceMs = 300;
const kTsxDebounceMs = 100;

/** Median of the milliseconds from saving `file` (which differs each time) to the line. */
async function measure(next, file, pattern, rounds) {
  const text = readFileSync(file, "utf8");
  const times = [];
  for (let round = 0; round < rounds; ++round) {
    const line = next(pattern);
    const start = performance.now();
    writeFileSync(file, `${text}\n// ${round}\n`);
    await line;
    times.push(performance.now() - start);
  }
  return median(times);
}

async function ours(plugin, rounds) {
  return withSvcd([plugin], ({ clientEnv }) =>
    followed(svc, ["plugin", "dev", plugin], { env: clientEnv }, async (next) => {
      await next(/^initial build .*reloaded bench$/);
      return {
        server: await measure(next, join(plugin, "server.ts"), /· reloaded bench$/, rounds),
        app: await measure(next, join(plugin, "app.tsx"), /rebuilt app in .* · reloaded bench$/, rounds),
      };
    }),
  );
}

async function theirs(dir, plugin, rounds) {
  const copy = join(dir, "restarted");
  mkdirSync(copy);
  for (const file of ["server.ts", "package.json", "tsconfig.json", "node_modules"]) {
    cpSync(join(plugin, file), join(copy, file), { recursive: true, verbatimSymlinks: true });
  }
  cpSync(peer("restart_main.ts"), join(copy, "main.ts"));
  mustRun("npm", ["install", "--prefix", join(dir, "tsx"), "--prefer-offline", "--no-fund", "--no-audit", kTsx]);
  return followed(join(dir, "tsx/node_modules/.bin/tsx"), ["watch", "main.ts"], { cwd: copy }, async (next) => {
    await next(/^restarted$/);
    return measure(next, join(copy, "server.ts"), /^restarted$/, rounds);
  });
}

export async function run({ quick }) {
  const rounds = quick ? 5 : 25;
  const dir = mkdtempSync(join(tmpdir(), "svc-dev-"));
  try {
    const plugin = scaffold(dir);
    const svcMs = await ours(plugin, rounds);
    const tsxMs = await theirs(dir, plugin, rounds);
    const row = (what, total, peerTotal) =>
      result({
        scenario: `${name}_${what}`,
        unit: "ms after the debounce",
        better: "lower",
        ours: total - kOurDebounceMs,
        peer: peerTotal === undefined ? null : peerTotal - kTsxDebounceMs,
        peerName: peerTotal === undefined ? null : "tsx watch",
      });
    return [row("server", svcMs.server, tsxMs), row("app", svcMs.app)];
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
