import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createFakePluginHost } from "@get-svc/plugin-sdk/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import survey from "../server";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "survey-"));
  mkdirSync(join(folder, "node_modules"));
  writeFileSync(join(folder, "node_modules", "a.ts"), "");
  writeFileSync(join(folder, "a.ts"), "one\ntwo");
  writeFileSync(join(folder, "b.md"), "one");
});
afterEach(() => rmSync(folder, { recursive: true }));

function load() {
  const host = createFakePluginHost({ pluginId: "survey", agentSkillIds: ["survey"] });
  survey(host.svc);
  const text = (result: { content: { type: string; text?: string }[] }) => result.content[0]?.text ?? "";
  return { ...host, text };
}

test("a survey is JSON, is kept, and says how far it is", async () => {
  const { harness, text } = load();
  const heard: object[] = [];
  const result = await harness.callAgentTool("survey_folder", { folder }, { onProgress: (report) => heard.push(report) });
  const taken = {
    folder,
    takenAt: expect.any(String),
    files: 2,
    lines: 3,
    byEnding: { ".ts": { files: 1, lines: 2 }, ".md": { files: 1, lines: 1 } },
  };
  expect(JSON.parse(text(result))).toEqual(taken);
  expect(heard.at(-1)).toEqual({ progress: 2, total: 2, message: join(folder, "b.md") });
  await harness.callAgentTool("survey_folder", { folder, endings: [".md"] });
  expect(JSON.parse(text(await harness.callAgentTool("survey_list")))).toMatchObject([{ folder, files: 1 }]);
});

test("a folder that is not there is a failure the agent can read", async () => {
  const { harness, text } = load();
  const result = await harness.callAgentTool("survey_folder", { folder: join(folder, "gone") });
  expect(result.isError).toBe(true);
  expect(text(result)).toContain("ENOENT");
});

test("nobody waits for a call that was given up", async () => {
  const { harness, text } = load();
  const given = AbortSignal.abort(new Error("enough"));
  const result = await harness.callAgentTool("survey_folder", { folder }, { signal: given });
  expect(text(result)).toContain("was aborted");
});

test("surveys are forgotten only when the user agrees", async () => {
  const { harness, text } = load();
  await harness.callAgentTool("survey_folder", { folder });
  for (const [agrees, threadId] of [
    [false, "thr_1"],
    [false, null],
    [true, "thr_1"],
  ] as const) {
    const forgetting = harness.callAgentTool("survey_forget", {}, { threadId });
    await vi.waitFor(() => expect(harness.pendingInteractions).toHaveLength(1));
    const { id } = harness.pendingInteractions[0]!;
    if (agrees) {
      expect(await harness.submitInteraction(id, true)).toEqual({ title: "1 surveys were forgotten" });
    } else {
      harness.cancelInteraction(id);
    }
    expect(text(await forgetting)).toContain(agrees ? "1 surveys were deleted" : "Nothing was deleted (user)");
  }
  expect(text(await harness.callAgentTool("survey_list"))).toBe("[]");
});

test("a personal project only reads", async () => {
  const { harness } = load();
  const { tools, skills } = await harness.resolveAgentConfiguration({ project: { kind: "personal" } });
  expect([tools.map(({ name }) => name), skills]).toEqual([["survey_list"], ["survey"]]);
});
