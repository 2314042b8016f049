import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { hostilePlugin, todoPlugin } from "../lib/paths.mjs";
import { withSvcd } from "../lib/processes.mjs";
import { post, steadyCalls, usageOf } from "./traffic.mjs";

export const summary = "plugins do every wrong thing there is, over and over, beside five good ones";

const kGood = ["good-1", "good-2", "good-3", "good-4", "good-5"];
const kFlags = ["--plugins.heapMiB", "96", "--plugins.watchdogMs", "1000", "--plugins.terminateMs", "3000"];
/** A dozen loads at their limit at a time. */
const kMostRssMiB = 2048;

const kGoodSource = `
const any = { "~standard": { version: 1, vendor: "soak", validate: (value) => ({ value }) } };
export default (svc) => svc.rpc.register({ get: { input: any, output: any } }, { get: (input) => input });
`;

export async function run({ quick, log }) {
  const seconds = quick ? 15 : 120;
  const dir = await mkdtemp(join(tmpdir(), "svc-soak-"));
  try {
    const crimes = [...(await readFile(hostilePlugin, "utf8")).matchAll(/^ {2}(?:"([\w-]+)"|([a-z]+)): \(\) =>/gm)].map(
      ([, quoted, plain]) => quoted ?? plain,
    );
    const add = async (id) => {
      const folder = join(dir, id);
      await mkdir(folder);
      const manifest = { name: `svc-plugin-${id}`, version: "1.0.0", type: "module", svc: { server: "server.ts" } };
      await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
      await (crimes.includes(id) ? copyFile(hostilePlugin, join(folder, "server.ts")) : writeFile(join(folder, "server.ts"), kGoodSource));
      return folder;
    };
    const folders = [todoPlugin];
    for (const id of [...kGood, ...crimes]) {
      folders.push(await add(id));
    }
    return await withSvcd(folders, (server) => commit(server, crimes, { seconds, log }), kFlags);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function commit(server, crimes, { seconds, log }) {
  const url = (id, rest) => `${server.url}/api/v1/plugins/${id}${rest}`;
  const calls = steadyCalls({
    perSecond: 100,
    next: (count) => ({ url: url(kGood[count % kGood.length], "/rpc/get"), body: String(count) }),
  });
  const until = Date.now() + seconds * 1000;
  let committed = 0;
  const offend = async (id) => {
    while (Date.now() < until) {
      await post(url(id, "/rpc/misbehave"), "null");
      ++committed;
      await post(`${server.url}/api/v1/plugins/reload?id=${id}`);
    }
  };
  await Promise.all(crimes.map(offend));
  const { made, slowestMs } = await calls.stop();
  const usage = usageOf(server.pid);
  log(`${committed} misdeeds of ${crimes.length} kinds; ${made} good calls, the slowest took ${slowestMs} ms`);
  log(`${usage.rssMiB.toFixed(1)} MiB, ${usage.descriptors} descriptors, ${usage.threads} threads`);
  const problems = calls.failures.slice(0, 5);
  for (const id of kGood) {
    const { plugin } = JSON.parse((await post(url(id, ""), "", undefined, "GET")).body);
    if (plugin.status !== "running" || plugin.lastError !== null) {
      problems.push(`${id} is ${plugin.status}: ${JSON.stringify(plugin.lastError)}`);
    }
  }
  if (usage.rssMiB > kMostRssMiB) {
    problems.push(`${usage.rssMiB.toFixed(1)} MiB are more than ${kMostRssMiB}`);
  }
  return problems;
}
