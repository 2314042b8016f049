import { createFakePluginHost, type FakeHostRpcCall } from "@get-svc/plugin-sdk/testing";
import { expect, test } from "vitest";

import type { Usage } from "../contract";
import diskUsage from "../server";

const kGiB = 1024 ** 3;
const usage: Usage = {
  at: 1_000,
  disks: [
    { path: "/", device: "/dev/sda2", totalBytes: 100 * kGiB, usedBytes: 60 * kGiB, freeBytes: 40 * kGiB },
    { path: "/mnt/backup", device: "/dev/sdb1", totalBytes: 2048 * kGiB, usedBytes: 2048 * kGiB, freeBytes: 0 },
  ],
};

const machines = [
  { id: "host_0", name: "home", role: "server", state: "available", stateMessage: null },
  { id: "host_1", name: "laptop", role: "machine", state: "unavailable", stateMessage: "Its daemon is not connected." },
];

async function load(answer: (call: FakeHostRpcCall) => unknown = () => usage) {
  const calls: FakeHostRpcCall[] = [];
  const { harness } = createFakePluginHost({
    pluginId: "disk-usage",
    sdk: { hosts: { list: () => machines } },
    experimental_callHostRpc(call) {
      calls.push(call);
      if (call.hostId !== "host_0") {
        throw Object.assign(new Error(`host "${call.hostId}" is not connected`), { code: "host_unavailable" });
      }
      return answer(call);
    },
  });
  await harness.lifecycle.reload(diskUsage);
  return { harness, calls };
}

test("machines are listed with what keeps them away", async () => {
  const { harness } = await load();
  expect(await harness.callRpc("machines")).toEqual([
    { id: "host_0", name: "home", state: "available", message: null },
    { id: "host_1", name: "laptop", state: "unavailable", message: "Its daemon is not connected." },
  ]);
});

test("a page follows a machine and leaves it", async () => {
  const { harness, calls } = await load(({ method }) => (method === "follow" ? usage : { followers: 0 }));
  expect(await harness.callRpc("follow", { hostId: "host_0", viewer: "v" })).toEqual({ ...usage, forMs: 30_000 });
  expect(await harness.callRpc("unfollow", { hostId: "host_0", viewer: "v" })).toBeNull();
  expect(calls.map(({ method, input }) => [method, input])).toEqual([
    ["follow", { id: "v", everyMs: 3_000, forMs: 30_000 }],
    ["unfollow", { id: "v" }],
  ]);
});

test("a machine that is away is no page's fault when it leaves, but is said when it comes", async () => {
  const { harness } = await load();
  await expect(harness.callRpc("follow", { hostId: "host_1", viewer: "v" })).rejects.toMatchObject({
    message: 'host "host_1" is not connected',
  });
  expect(await harness.callRpc("unfollow", { hostId: "host_1", viewer: "v" })).toBeNull();
});

test("what the worker sends, and its end, reach the pages", async () => {
  const { harness } = await load();
  await harness.emitHostSignal({ hostId: "host_0", name: "usage", payload: usage });
  await harness.emitHostSignal({ hostId: "host_0", name: "usage", payload: { at: "now", disks: [] } });
  await harness.emitHostWorkerExit({ hostId: "host_0" });
  expect(harness.realtimeSignals).toEqual([
    { channel: "usage", payload: { hostId: "host_0", usage } },
    { channel: "worker-lost", payload: { hostId: "host_0" } },
  ]);
});

test("the command shows a table", async () => {
  const { harness } = await load();
  for (const argv of [[], ["home"], ["host_0"]]) {
    expect(await harness.runCli(argv)).toEqual({
      exitCode: 0,
      stderr: "",
      stdout: [
        "DISK          USED      FREE       SIZE",
        "/             60 %  40.0 GiB  100.0 GiB",
        "/mnt/backup  100 %       0 B    2.0 TiB",
      ].join("\n"),
    });
  }
  expect(JSON.parse((await harness.runCli(["--json"])).stdout)).toEqual({ machine: "home", disks: usage.disks });
});

test("the command says what is wrong with a machine, and what to do", async () => {
  const { harness } = await load();
  const away = await harness.runCli(["laptop"]);
  expect(away.exitCode).toBe(1);
  expect(away.stderr).toContain('laptop: host "host_1" is not connected');
  expect(away.stderr).toContain("svc machine show");
  const unknown = await harness.runCli(["nobody"]);
  expect(unknown.exitCode).toBe(1);
  expect(unknown.stderr).toContain("there is no machine nobody");
  expect(unknown.stderr).toContain("svc machine list");
  expect(JSON.parse((await harness.runCli(["laptop", "--json"])).stdout)).toMatchObject({ ok: false, error: { code: "host_unavailable" } });
});
