// Requests at a steady pace, and what a process uses.
import { readdirSync, readFileSync } from "node:fs";
import { Agent, request } from "node:http";

/** POSTs `body` and resolves with { status, body }. */
export function post(url, body = "{}", agent = undefined, method = "POST") {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, agent, headers: { "content-type": "application/json" } }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk) => (text += chunk));
      response.on("end", () => resolve({ status: response.statusCode, body: text }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Calls `next()` for a { url, body } `perSecond` times a second until stop(); a failed one is kept in `failures`. */
export function steadyCalls({ perSecond, next }) {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const kTick = 50;
  const failures = [];
  const open = new Set();
  let made = 0;
  const took = [];
  const call = async () => {
    const { url, body } = next(made++);
    const started = performance.now();
    try {
      const answer = await post(url, body, agent);
      if (answer.status !== 200) {
        failures.push(`${url}: ${answer.status} ${answer.body.slice(0, 200)}`);
      }
    } catch (error) {
      failures.push(`${url}: ${error.message}`);
    }
    took.push(performance.now() - started);
  };
  const timer = setInterval(() => {
    for (let at = 0; at < (perSecond * kTick) / 1000; ++at) {
      const done = call().finally(() => open.delete(done));
      open.add(done);
    }
  }, kTick);
  return {
    failures,
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
      agent.destroy();
      took.sort((one, other) => one - other);
      const at = (part) => Math.round(took[Math.floor((took.length - 1) * part)] ?? 0);
      return { made, slowestMs: at(1), p99Ms: at(0.99) };
    },
  };
}

export function usageOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const number = (key) => Number(new RegExp(`^${key}:\\s+(\\d+)`, "m").exec(status)?.[1]);
  return {
    rssMiB: number("VmRSS") / 1024,
    threads: number("Threads"),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
  };
}
