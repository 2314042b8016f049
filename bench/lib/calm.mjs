// Calls at a pace that no server notices: what somebody sees who uses it while something else goes on.
import { Agent, get } from "node:http";

import { percentile } from "./stats.mjs";

const kEveryMs = 4;

function timed(url, agent) {
  const begin = performance.now();
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      response.resume();
      response.on("end", () =>
        response.statusCode === 200 ? resolve(performance.now() - begin) : reject(new Error(`${url}: ${response.statusCode}`)),
      );
    }).on("error", reject);
  });
}

/** GETs `url` over keep-alive connections for some seconds, some 250 times a second; the percentiles of the times. */
export async function calm(url, seconds) {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const calls = [];
  const timer = setInterval(() => calls.push(timed(url, agent)), kEveryMs);
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  clearInterval(timer);
  const times = await Promise.all(calls);
  agent.destroy();
  return { operations: times.length, p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99) };
}
