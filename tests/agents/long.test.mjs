// Calls that take 250 s: clients that ask for progress get the result, one that does not is told in time that the tool goes on.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { connect, kClients, kTransports, textOf } from "./lib/clients.mjs";
import { startGate } from "./lib/gate.mjs";
import { nodeDirectory, program } from "./lib/packages.mjs";
import { kProbe, run, startService } from "./lib/service.mjs";
import { kWantedAgents, session } from "./lib/session.mjs";
import { readScript } from "./model/script.mjs";

const kSeconds = 250;
/** Clients without an opinion of their own wait this long. */
const kUsualPatienceMs = 60_000;
const kTimeoutMs = (kSeconds + 120) * 1_000;
const kTogether = { concurrency: true };

let service;
let gate;
before(async () => {
  service = await startService([kProbe]);
  gate = await startGate();
});
after(async () => {
  await service?.close();
  gate?.close();
});

describe("a client that asks for progress gets the result", kTogether, () => {
  for (const kind of kClients) {
    for (const transport of kTransports) {
      test(`${kind.name} over ${transport}`, async () => {
        const client = await connect(kind, transport, service);
        const result = await client.call(
          "probe_wait",
          { seconds: kSeconds },
          { onprogress: () => undefined, resetTimeoutOnProgress: true, timeout: kUsualPatienceMs },
        );
        assert.equal(textOf(result), `waited for ${kSeconds} s`);
        await client.close();
      });

      test(`${kind.name} over ${transport}, of a tool that reports once and is silent`, async () => {
        const client = await connect(kind, transport, service);
        const told = [];
        const result = await client.call(
          "probe_wait",
          { seconds: kSeconds, reports: true },
          { onprogress: (progress) => told.push(progress), resetTimeoutOnProgress: true, timeout: kUsualPatienceMs },
        );
        assert.equal(textOf(result), `waited for ${kSeconds} s`);
        assert.deepEqual(told[0], { progress: 1, total: 2, message: "half of it" });
        assert.ok(
          told.every(({ progress }, at) => at === 0 || (progress > told[at - 1].progress && progress < 1.01)),
          JSON.stringify(told),
        );
        await client.close();
      });
    }
  }

  for (const agent of kWantedAgents) {
    test(agent.package, async () => {
      const own = await startService([kProbe]);
      try {
        const script = readScript("long_call");
        const { stdout, stderr } = await session(agent, script, { service: own, transport: "stdio", gate, timeoutMs: kTimeoutMs });
        assert.deepEqual(script.problems, [], stderr.slice(-2_000));
        assert.ok(stdout.includes(script.answer), stdout + stderr.slice(-2_000));
      } finally {
        await own.close();
      }
    });
  }
});

describe("a client that sends no token is told before it gives up", kTogether, () => {
  for (const kind of kClients) {
    for (const transport of kTransports) {
      test(`${kind.name} over ${transport}`, async () => {
        const client = await connect(kind, transport, service);
        const result = await client.call("probe_wait", { seconds: kSeconds }, { timeout: kUsualPatienceMs });
        assert.match(textOf(result), /^probe_wait is still running after 5\d s/);
        await client.close();
      });
    }
  }

  // With one (--tool-metadata) it still ends after 60 s: progress does not move its clock.
  for (const transport of kTransports) {
    test(`Inspector over ${transport}`, async () => {
      const target = transport === "HTTP" ? [service.endpoint, "--transport", "http"] : ["svc", "mcp", "--transport", "stdio"];
      const call = ["--method", "tools/call", "--tool-name", "probe_wait", "--tool-arg", `seconds=${kSeconds}`];
      const { status, stdout, stderr } = await run([program("inspector", "mcp-inspector"), "--cli", ...target, ...call], {
        env: { ...service.env, PATH: `${nodeDirectory()}:${service.env.PATH}` },
        cwd: service.work,
        timeoutMs: kTimeoutMs,
      });
      assert.equal(status, 0, stderr);
      assert.match(stdout, /probe_wait is still running after 5\d s/);
    });
  }
});
