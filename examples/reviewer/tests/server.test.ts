import type { ThreadEvent } from "@get-svc/plugin-sdk";
import { createFakePluginHost, makeThreadResponse } from "@get-svc/plugin-sdk/testing";
import { expect, test } from "vitest";

import reviewer from "../server";

const thread = makeThreadResponse({ id: "thr_1" });

function load() {
  const host = createFakePluginHost({ pluginId: "reviewer" });
  const log: ThreadEvent[] = [];
  let metadata = {};
  const { sdk } = host.harness;
  const add = (type: string, data: object) => {
    const seq = log.length + 1;
    log.push({ id: `ev_${seq}`, seq, threadId: thread.id, type, scope: { kind: "thread" }, data, createdAt: 0 } as ThreadEvent);
  };
  sdk.stub("threads.events.list", ({ types, afterSeq = 0, order }: { types: string[]; afterSeq?: number; order?: string }) => {
    const found = log.filter(({ type, seq }) => types.includes(type) && seq > afterSeq);
    return order === "desc" ? [...found].reverse() : found;
  });
  sdk.stub("threads.getPluginMetadata", () => metadata);
  sdk.stub("threads.updatePluginMetadata", (argument: { metadata: object }) => (metadata = { ...metadata, ...argument.metadata }));
  sdk.stub("threads.send", () => {
    const requestId = `req_review_${log.length}`;
    add("client/turn/requested", { requestId, target: { kind: "new-turn" } });
    return { ok: true, outcome: "started", turnRequestId: requestId, queuedMessageId: null };
  });
  reviewer(host.svc);
  return {
    ...host,
    asks: (requestId: string, kind = "new-turn") => add("client/turn/requested", { requestId, target: { kind } }),
    does: (type: string) => add("item/completed", { item: { id: `i_${log.length}`, type } }),
    idle: (of = thread, status = "completed") => {
      add("turn/completed", { turnId: `turn_${log.length}`, status });
      return host.harness.emitThreadEvent("thread.idle", { thread: of, lastAssistantText: "Done." });
    },
    sent: () => sdk.callsTo("threads.send").map(({ args }) => args[0]),
  };
}

test("a turn that has changed files is reviewed once, and its review is not", async () => {
  const { asks, does, idle, sent } = load();
  asks("req_1");
  does("commandExecution");
  does("fileChange");
  asks("req_2", "steer");
  await idle();
  expect(sent()).toEqual([
    { threadId: "thr_1", mode: "start", input: [{ type: "text", text: expect.stringContaining("as a reviewer would") }] },
  ]);
  does("fileChange"); // the review has mended something
  await idle();
  expect(sent()).toHaveLength(1);
  asks("req_3");
  does("fileChange");
  await idle();
  expect(sent()).toHaveLength(2);
});

test("nothing follows a turn that was stopped; its changes are reviewed after the next", async () => {
  const { asks, does, idle, sent } = load();
  asks("req_1");
  does("fileChange");
  await idle(thread, "interrupted");
  expect(sent()).toEqual([]);
  asks("req_2");
  await idle();
  expect(sent()).toHaveLength(1);
});

test("talk is not reviewed, nor are hidden threads, nor is anything when it is off", async () => {
  const { harness, asks, does, idle, sent } = load();
  asks("req_1");
  does("agentMessage");
  await idle();
  does("fileChange");
  await idle(makeThreadResponse({ id: "thr_1", visibility: "hidden" }));
  await harness.setSettings({ review: false });
  await idle();
  expect(sent()).toEqual([]);
});

test("who has said something meanwhile goes first, and the review comes after that turn", async () => {
  const { harness, asks, does, idle, sent } = load();
  asks("req_1");
  does("fileChange");
  // The message that has waited is a turn already when the end of the first one is heard of.
  asks("req_2");
  harness.sdk.stub("threads.send", () => {
    throw new Error("the thread is busy");
  });
  await idle();
  expect(sent()).toHaveLength(1);
  expect(harness.sdk.callsTo("threads.updatePluginMetadata")).toEqual([]);
  expect(harness.logEntries.map(({ message }) => message)).toEqual(["no review of thr_1 yet: the thread is busy"]);

  does("agentMessage");
  harness.sdk.stub("threads.send", () => {
    asks("req_review");
    return { ok: true, outcome: "started", turnRequestId: "req_review", queuedMessageId: null };
  });
  await idle();
  expect(sent()).toHaveLength(2);
  does("fileChange"); // by the review
  await idle();
  asks("req_3");
  does("agentMessage");
  await idle();
  expect(sent()).toHaveLength(2);
});

test("the nightly thread works in a worktree, and waits for last night's", async () => {
  const { harness } = load();
  await harness.runSchedule("nightly");
  expect(harness.sdk.callsTo("threads.spawn")).toEqual([]); // no project is chosen

  await harness.setSettings({ project: "proj_1" });
  harness.sdk.stub("threads.list", () => []);
  harness.sdk.stub("threads.spawn", () => makeThreadResponse({ id: "thr_2" }));
  await harness.runSchedule("nightly", { scheduledAt: Date.UTC(2026, 0, 2, 3) });
  expect(harness.sdk.callsTo("threads.spawn").map(({ args }) => args[0])).toMatchObject([
    { projectId: "proj_1", title: "Nightly 2026-01-02", environment: { type: "host", workspace: { type: "managed-worktree" } } },
  ]);

  harness.sdk.stub("threads.list", () => [makeThreadResponse({ id: "thr_2", status: "active" })]);
  await harness.runSchedule("nightly");
  expect(harness.sdk.callsTo("threads.spawn")).toHaveLength(1);
  expect(harness.logEntries.at(-1)?.message).toBe("last night's thread is still at work");
});
