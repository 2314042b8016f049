import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { nodeModules, todoPlugin } from "../lib/paths.mjs";
import { withSvcd } from "../lib/processes.mjs";
import { post, steadyCalls, usageOf } from "./traffic.mjs";

export const summary = "a plugin is reloaded again and again, one in six fails, under 200 requests a second";

const kMostGrowthMiB = 16;
const kMostNewDescriptors = 8;

export async function run({ quick, log }) {
  const reloads = quick ? 120 : 1200;
  const warm = reloads / 6;
  const dir = await mkdtemp(join(tmpdir(), "svc-soak-"));
  try {
    const plugin = join(dir, "todo");
    await cp(todoPlugin, plugin, { recursive: true });
    await symlink(nodeModules, join(dir, "node_modules"));
    return await withSvcd([plugin], (server) => reloadUnderLoad(server, join(plugin, "server.ts"), { reloads, warm, log }));
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function reloadUnderLoad(server, entry, { reloads, warm, log }) {
  const good = await readFile(entry, "utf8");
  const calls = steadyCalls({
    perSecond: 200,
    next: () => ({ url: `${server.url}/api/v1/plugins/todo/rpc/todos_list`, body: "null" }),
  });
  const problems = [];
  const samples = [];
  for (let done = 1; done <= reloads; ++done) {
    const broken = done % 6 === 0;
    // Each text is new, so that nothing comes from a cache of builds.
    await writeFile(entry, broken ? `throw new Error("load ${done}");\n` : `${good}\n// ${done}\n`);
    const answer = await post(`${server.url}/api/v1/plugins/reload?id=todo`);
    if ((answer.status === 200) === broken) {
      problems.push(`reload ${done}: ${answer.status} ${answer.body.slice(0, 300)}`);
    }
    if (done >= warm && done % (reloads / 12) === 0) {
      const usage = usageOf(server.pid);
      samples.push(usage);
      log(`${done} reloads: ${usage.rssMiB.toFixed(1)} MiB, ${usage.descriptors} descriptors, ${usage.threads} threads`);
    }
  }
  const { made, slowestMs } = await calls.stop();
  log(`${made} requests, the slowest took ${slowestMs} ms`);
  problems.push(...calls.failures.slice(0, 5));
  // The lowest of some samples: garbage comes and goes.
  const lowest = (list, key) => Math.min(...list.map((usage) => usage[key]));
  const third = Math.ceil(samples.length / 3);
  const growth = lowest(samples.slice(-third), "rssMiB") - lowest(samples.slice(0, third), "rssMiB");
  const descriptors = lowest(samples.slice(-third), "descriptors") - lowest(samples.slice(0, third), "descriptors");
  log(`growth: ${growth.toFixed(1)} MiB, ${descriptors} descriptors`);
  if (growth > kMostGrowthMiB) {
    problems.push(`memory grew by ${growth.toFixed(1)} MiB, more than ${kMostGrowthMiB}`);
  }
  if (descriptors > kMostNewDescriptors) {
    problems.push(`${descriptors} descriptors more than after the warm-up`);
  }
  return problems;
}
