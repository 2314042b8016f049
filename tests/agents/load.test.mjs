// Many clients at once, and reloads under their calls: no call fails, no list is left behind.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";

import { connect, kClients, textOf } from "./lib/clients.mjs";
import { kProbe, startService } from "./lib/service.mjs";
import { until } from "./lib/until.mjs";

const kMany = 64;
const kCalls = 10;
const kReloads = 100;

let service;
beforeEach(async () => {
  service = await startService([kProbe]);
});
afterEach(() => service?.close());

for (const kind of kClients) {
  test(`${kMany} clients call a tool at once: ${kind.name}`, async () => {
    const clients = await Promise.all(Array.from({ length: kMany }, () => connect(kind, "HTTP", service)));
    await Promise.all(
      clients.map(async (client, who) => {
        for (let call = 0; call < kCalls; call += 1) {
          assert.equal(textOf(await client.call("probe_echo", { text: `${who}.${call}` })), `echo: ${who}.${call}`);
        }
      }),
    );
    await Promise.all(clients.map((client) => client.close()));
  });
}

test(`${kReloads} reloads lose no call, and lists follow`, async () => {
  const file = join(service.home, "plugins/probe/server.ts");
  const source = readFileSync(file, "utf8");
  const last = new Map();
  const clients = await Promise.all(
    kClients.flatMap((kind) =>
      ["HTTP", "stdio"].map(async (transport) => ({
        name: `${kind.name} over ${transport}`,
        ...(await connect(kind, transport, service, { onTools: (names) => last.set(`${kind.name} over ${transport}`, names) })),
      })),
    ),
  );
  let isOver = false;
  let answered = 0;
  const aborted = [];
  const callers = clients.flatMap((client) => [
    // Short ones never notice a reload.
    (async () => {
      while (!isOver) {
        assert.equal(textOf(await client.call("probe_echo", { text: client.name })), `echo: ${client.name}`);
        answered += 1;
      }
    })(),
    // One that waits when its load ends gets an answer, too: that it was aborted, and why.
    (async () => {
      while (!isOver) {
        const { isError, content } = await client.call("probe_wait", { seconds: 1 });
        if (isError) {
          aborted.push(content[0].text);
        }
        answered += 1;
      }
    })(),
  ]);
  const calls = Promise.all(callers);
  calls.catch(() => (isOver = true));
  for (let reload = 1; reload <= kReloads && !isOver; reload += 1) {
    writeFileSync(file, source.replace("probe_first", `probe_gen_${reload}`));
    await service.mustRun("plugin", "reload", "probe");
  }
  isOver = true;
  await calls;
  assert.ok(answered > kReloads, `only ${answered} calls in ${kReloads} reloads`);
  assert.deepEqual(
    aborted.filter((text) => text !== "Tool probe_wait was aborted: plugin-disposed"),
    [],
  );
  for (const client of clients) {
    await until(`${client.name} heard of the last list`, () => last.get(client.name)?.includes(`probe_gen_${kReloads}`));
    assert.deepEqual(
      (await client.tools()).filter((name) => name.startsWith("probe_gen")),
      [`probe_gen_${kReloads}`],
    );
    await client.close();
  }
});
