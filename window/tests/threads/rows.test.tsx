import { act, cleanup, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { QueryClientProvider } from "@tanstack/react-query";
import { MemoryRouter } from "react-router";
import { afterEach, describe, expect, it, vi } from "vitest";

import type { PluginMessageDirectiveProps } from "#sdk/app/slots/message.js";
import type { PluginTimelineRendererProps } from "#sdk/app/slots/thread.js";
import type { TimelineRow } from "#sdk/records.js";
import { queryClient } from "@/api/queries";
import type { ChangedMessage } from "@/api/realtime";
import { GrowingText } from "@/lib/growing_text";
import { createStore } from "@/lib/store";
import { publishPlugins } from "@/plugins/active";
import { diagnosticsNow } from "@/plugins/diagnostics";
import { growBlocks, streamedContents } from "@/sdk_app/markdown_blocks";
import { directivesOf } from "@/threads/directives";
import { plainOutput } from "@/threads/output";
import { RowView, TimelineRowView } from "@/threads/row_view";
import { createUnfolded, type ThreadView, ThreadViewContext } from "@/threads/thread_view";
import { TimelineStore } from "@/threads/timeline_store";
import { type WorkRow, workTitle } from "@/threads/work_titles";
import { TooltipProvider } from "@/ui/tooltip";

import { activePlugin, kEmptyApp } from "../plugins/fake_plugins";
import { FakeService } from "../plugins_pages/fake_service";
import { assistantRow, commandRow, rowBase, seeded, timelineOf, userRow } from "./fake_timeline";

vi.mock("@/plugins/report", () => ({ sendReport: () => undefined }));

const work = (workKind: string, more: object): WorkRow =>
  ({ ...rowBase(workKind, 1), kind: "work", status: "completed", workKind, ...more }) as unknown as WorkRow;

let tell: (message: ChangedMessage) => void = () => undefined;

async function show(rows: TimelineRow[], more: Partial<ThreadView> = {}) {
  const store = new TimelineStore("t1", {
    fetch: async () => timelineOf(rows),
    realtime: { watch: (_target, listener) => ((tell = listener), () => undefined), onConnected: () => () => undefined },
  });
  const view: ThreadView = {
    threadId: "t1",
    projectId: "p1",
    surface: { projectId: "p1", threadId: "t1" },
    store,
    list: { current: null },
    unfolded: createUnfolded(),
    sought: createStore<number | null>(null),
    renderRow: (shown) => <RowView {...shown} />,
    extraActions: [],
    ...more,
  };
  store.follow();
  await waitFor(() => expect(store.snapshot().status).toBe("ready"));
  render(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter>
        <TooltipProvider>
          <ThreadViewContext value={view}>
            {rows.map(({ id }) => (
              <TimelineRowView key={id} id={id} />
            ))}
          </ThreadViewContext>
        </TooltipProvider>
      </MemoryRouter>
    </QueryClientProvider>,
  );
}

afterEach(() => {
  cleanup();
  publishPlugins([]);
  queryClient.clear();
});

describe("blocks of a text that grows", () => {
  const kText = "# A\n\ntext *one*\n\n- a\n- b\n\n```js\nlet a;\n\nlet b;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nend\n";

  it.each(Array.from({ length: 40 }, (_, seed) => seed))("are those of the whole text, however it comes (seed %i)", (seed) => {
    const random = seeded(seed);
    const text = new GrowingText();
    let blocks = growBlocks(text);
    for (let at = 0; at < kText.length;) {
      const size = 1 + Math.floor(random() * 12);
      text.append(kText.slice(at, at + size));
      at += size;
      const before = blocks.settled;
      blocks = growBlocks(text, blocks);
      expect(blocks.settled.slice(0, before.length)).toEqual(before);
    }
    expect(streamedContents(blocks)).toEqual(streamedContents(growBlocks(new GrowingText(kText))));
    expect([...blocks.settled, ...blocks.open.blocks].join("")).toBe(kText);
  });

  it("parse again what a definition at the end is for", () => {
    const text = new GrowingText("see [it]\n\nmore\n\n");
    const before = growBlocks(text);
    text.append("[it]: https://example.com\n");
    expect(streamedContents(growBlocks(text, before))).toEqual([String(text)]);
  });
});

describe("titles of work", () => {
  it.each<[WorkRow, string]>([
    [commandRow("c", 1, "", { status: "completed", exitCode: 2, completedAt: 1001 }) as WorkRow, "Ran make exit code 2 · 1 s"],
    [commandRow("c", 1, "", { activityIntents: [{ type: "read", command: "cat a", path: "a" }] }) as WorkRow, "Reading a"],
    [commandRow("c", 1, "", { activityIntents: [{ type: "search", command: "rg b", query: "b" }] }) as WorkRow, "Searching for b"],
    [
      work("file-change", { change: { path: "a.ts", kind: "update", movePath: null, diff: null, diffStats: { added: 3, removed: 1 } } }),
      "Changed a.ts +3 −1",
    ],
    [
      work("file-change", { change: { path: "a.ts", kind: "update", movePath: "b.ts", diff: null, diffStats: { added: 0, removed: 0 } } }),
      "Moved a.ts → b.ts",
    ],
    [work("tool", { toolName: "lookup", activityIntents: [] }), "lookup"],
    [work("tool", { toolName: "lookup", presentation: { label: { pending: "Looks", completed: "Looked" } } }), "Looked lookup"],
    [work("web-search", { queries: ["a", "b"] }), "Searched the web a, b"],
    [work("web-fetch", { url: "https://a" }), "Fetched https://a"],
    [work("image-view", { path: "a.png" }), "Looked at a.png"],
    [work("image-view", { path: `/d/pictures/${"0f".repeat(16)}.jpg` }), "Looked at a picture"],
    [
      work("approval", { status: "pending", lifecycle: "pending", grantScope: null, target: { toolName: "rm" }, statusReason: null }),
      "Asks for your permission rm",
    ],
    [work("approval", { lifecycle: "denied", target: { toolName: "rm" }, statusReason: "by you" }), "Denied rm by you"],
    [
      work("approval", { lifecycle: "granted", grantScope: "session", target: { toolName: "rm" }, statusReason: null }),
      "Allowed for this session rm",
    ],
    [
      work("approval", { lifecycle: "interrupted", grantScope: null, target: { toolName: "rm" }, statusReason: "thread-stopped" }),
      "No longer asked rm the agent was stopped",
    ],
    [work("question", { lifecycle: "answered", questions: [{ prompt: "Which?" }] }), "Answered Which?"],
    [work("delegation", { toolName: "task", subagentType: "reviewer", description: "look" }), "reviewer look"],
    [work("workflow", { description: "Deploy", taskStatus: "running", usage: null }), "Deploy running"],
    [work("reasoning", { text: "hm" }), "Thought"],
    [work("plan", { text: "- a" }), "Plan"],
    [work("hologram", {}), "hologram"],
  ])("say what was done (%#)", (row, said) => {
    const { title, subject, detail } = workTitle(row);
    expect([title, subject, detail].filter((part) => part !== null).join(" ")).toBe(said);
  });
});

it("the sign of a tool is what its plugin says, in its colour", async () => {
  const presentation = { icon: { glyph: "✓" }, tint: { light: "rgb(1, 2, 3)", dark: "rgb(1, 2, 3)" } };
  await show([work("tool", { toolName: "lookup", output: "found", presentation }) as TimelineRow]);
  const sign = screen.getByText("✓");
  expect(sign.parentElement!.style.color).toBe("rgb(1, 2, 3)");
  expect(workTitle(work("tool", { toolName: "lookup", presentation: { icon: { glyph: "rocket" } } })).icon).toBe("rocket");
});

describe("outputs", () => {
  it("are shown without what only a terminal understands", () => {
    expect(plainOutput("\u001b[31mred\u001b[0m\r\n10%\r50%\r100%\n\u001b]0;title\u0007end")).toBe("red\n100%\nend");
  });
});

describe("directives", () => {
  it("are lines of their own with attributes in either quotes", () => {
    expect(directivesOf("::chart{kind=\"bar\" size='2' wide}\n")).toEqual([
      { id: "chart", attributes: { kind: "bar", size: "2", wide: "" }, source: "::chart{kind=\"bar\" size='2' wide}" },
    ]);
    expect(directivesOf("::a\n::b{}")?.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(directivesOf("see ::a{}")).toBeNull();
    expect(directivesOf("```\n::a{}\n```")).toBeNull();
    expect(directivesOf("::Not")).toBeNull();
  });

  it("are shown by their plugin when the answer is finished, and stay text until then and when nobody knows them", async () => {
    const chart = ({ attributes, message }: PluginMessageDirectiveProps) => <p>{`${attributes.kind} of ${message.projectId}`}</p>;
    publishPlugins([activePlugin("charts", { app: { ...kEmptyApp, messageDirectives: [{ id: "chart", component: chart }] } as never })]);
    const text = 'Look\n\n::chart{kind="bar"}\n\n::other{}\n';
    await show([assistantRow("done", 1, text, { sourceSeqEnd: 2 }), assistantRow("open", 3, text)]);
    await screen.findByText("bar of p1");
    expect(screen.getAllByText("::other{}")).toHaveLength(2);
    expect(screen.getAllByText(/::chart/)).toHaveLength(1);
  });
});

describe("a directive whose plugin throws", () => {
  it("is what the agent wrote, and the failure is recorded", async () => {
    vi.spyOn(console, "error").mockReturnValue(undefined);
    const broken = () => {
      throw new Error("no data");
    };
    publishPlugins([activePlugin("charts", { app: { ...kEmptyApp, messageDirectives: [{ id: "chart", component: broken }] } as never })]);
    await show([assistantRow("done", 1, '::chart{kind="pie"}', { sourceSeqEnd: 2 })]);
    await screen.findByText('::chart{kind="pie"}');
    expect(screen.queryByText(/stopped working/)).toBeNull();
    expect(diagnosticsNow("charts")?.lastFailure).toMatchObject({ phase: "render", slot: "messageDirective chart", message: "no data" });
    vi.mocked(console.error).mockRestore();
  });
});

describe("rows", () => {
  it("grow with what streams, and keep the elements of what was there", async () => {
    await show([assistantRow("a", 1, "First.\n\nSec")]);
    const first = await screen.findByText("First.");
    act(() => tell({ entity: "thread", changes: ["events-appended"], metadata: frame("i-a", "text", 11, "ond **bold**\n\nThird") }));
    await screen.findByText("bold", { selector: "strong" });
    expect(screen.getByText("Third")).toBeTruthy();
    expect(screen.getByText("First.")).toBe(first);
    expect(screen.getByRole("article", { name: "Answer" }).getAttribute("aria-busy")).toBe("true");
  });

  it("open to the output of a command, which goes on", async () => {
    await show([commandRow("c", 1, "one\n")]);
    await userEvent.click(screen.getByRole("button", { name: /Running make/ }));
    expect(screen.getByRole("region", { name: "Output of the command" }).textContent).toBe("one\n");
    act(() => tell({ entity: "thread", changes: ["events-appended"], metadata: frame("i-c", "output", 4, "two\n") }));
    expect(screen.getByRole("region", { name: "Output of the command" }).textContent).toBe("one\ntwo\n");
  });

  it("load what a turn folds when it is opened", async () => {
    const service = new FakeService()
      .on("GET /threads/t1/timeline/turns/x", () => ({ rows: [work("web-search", { queries: ["seas"] })] }))
      .install();
    const turn = {
      ...rowBase("t", 1),
      turnId: "x",
      kind: "turn",
      status: "completed",
      summaryCount: 3,
      completedAt: 2,
      children: null,
    } as const;
    await show([turn]);
    await userEvent.click(screen.getByRole("button", { name: /3 steps/ }));
    expect(await screen.findByText("seas")).toBeTruthy();
    expect(service).toBeTruthy();
  });

  it("load what a very long turn folds from its end", async () => {
    const search = (number: number) => ({ ...work("web-search", { queries: [`sea ${number}`] }), id: `s${number}` });
    const service = new FakeService()
      .on("GET /threads/t1/timeline/turns/x", ({ query }) =>
        query.get("sourceSeqEnd") === "9"
          ? { rows: [search(2), search(3)], olderSeqEnd: 5 }
          : { rows: [search(1), search(2)], olderSeqEnd: null },
      )
      .install();
    const turn = {
      ...rowBase("t", 1),
      sourceSeqEnd: 9,
      turnId: "x",
      kind: "turn",
      status: "completed",
      summaryCount: 3,
      completedAt: 2,
      children: null,
    } as const;
    await show([turn]);
    await userEvent.click(screen.getByRole("button", { name: /3 steps/ }));
    expect(await screen.findByText("sea 3")).toBeTruthy();
    expect(screen.queryByText("sea 1")).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "Show earlier steps" }));
    expect(await screen.findByText("sea 1")).toBeTruthy();
    expect(screen.getAllByText(/^sea/).map((node) => node.textContent)).toEqual(["sea 1", "sea 2", "sea 3"]);
    expect(screen.queryByRole("button", { name: "Show earlier steps" })).toBeNull();
    expect(service.requests.at(-1)!.query.get("sourceSeqEnd")).toBe("5");
  });

  it("draw what a very long turn folds from its end, a part at a time", async () => {
    const search = (number: number) => ({ ...work("web-search", { queries: [`sea ${number}`] }), id: `s${number}` });
    const service = new FakeService()
      .on("GET /threads/t1/timeline/turns/x", () => ({
        rows: Array.from({ length: 250 }, (_, index) => search(index + 1)),
        olderSeqEnd: null,
      }))
      .install();
    const turn = {
      ...rowBase("t", 1),
      sourceSeqEnd: 9,
      turnId: "x",
      kind: "turn",
      status: "completed",
      summaryCount: 250,
      completedAt: 2,
      children: null,
    } as const;
    await show([turn]);
    await userEvent.click(screen.getByRole("button", { name: /250 steps/ }));
    expect(await screen.findByText("sea 250")).toBeTruthy();
    const drawn = () => screen.getAllByText(/^sea/).map((node) => node.textContent);
    expect([drawn().length, drawn()[0]]).toEqual([200, "sea 51"]);
    // By their texts: to find one among so many by its role takes seconds.
    await userEvent.click(screen.getByText("Show earlier steps"));
    expect([drawn().length, drawn()[0]]).toEqual([250, "sea 1"]);
    expect(screen.queryByText("Show earlier steps")).toBeNull();
    expect(service.requests.filter(({ path }) => path.endsWith("/turns/x"))).toHaveLength(1);
  });

  it("show kinds that this window does not know as what they are", async () => {
    await show([
      { ...rowBase("n", 1), kind: "novelty", weight: 3 } as unknown as TimelineRow,
      work("hologram", { beam: 7 }) as TimelineRow,
    ]);
    await userEvent.click(screen.getByRole("button", { name: "novelty" }));
    expect(screen.getByRole("region", { name: "What the service says" }).textContent).toContain('"weight": 3');
    expect(screen.getByRole("button", { name: "hologram" })).toBeTruthy();
  });

  it("name attachments as they were called, not as they are stored", async () => {
    const path = (name: string) => `/data/attachments/9e14fa51-ff9c-4a3e-a307-4d8a0a9a35c4-${name}`;
    await show([
      userRow("u", 1, "look", {
        attachments: { imageUrls: [], localImagePaths: [path("pic.png")], localFilePaths: [path("é file.txt"), "/p/notes.md"] } as never,
      }),
    ]);
    const list = screen.getByRole("list", { name: "Attachments" });
    expect(within(list).getByRole("img").getAttribute("alt")).toBe("pic.png");
    expect(within(list).getByText("é file.txt")).toBeTruthy();
    expect(within(list).getByText("notes.md")).toBeTruthy();
  });

  it("say what became of a message, and load images of others on request only", async () => {
    await show([
      userRow("u", 1, "hello", { turnRequest: { kind: "steer", status: "accepted", isGrouped: false } }),
      userRow("r", 2, "no", { turnRequest: { kind: "message", status: "rejected", isGrouped: false } }),
      assistantRow("a", 3, "![cat](https://evil.example/cat.png)", { sourceSeqEnd: 4 }),
    ]);
    expect(screen.getByText("Sent while the agent worked")).toBeTruthy();
    expect(screen.getByText("Not taken")).toBeTruthy();
    expect(await screen.findByRole("button", { name: /Load image from evil.example/ })).toBeTruthy();
    expect(document.querySelector("img")).toBeNull();
  });

  it("let a plugin draw the body of a tool, with the window's own inside", async () => {
    const component = ({ payload, Original }: PluginTimelineRendererProps) => (
      <div>
        drawn {JSON.stringify(payload)}
        <Original />
      </div>
    );
    publishPlugins([activePlugin("charts", { app: { ...kEmptyApp, timelineRenderers: [{ kind: "tool", component }] } as never })]);
    await show([work("tool", { toolName: "lookup", toolArgs: { q: 1 }, output: "found" }) as TimelineRow]);
    await userEvent.click(screen.getByRole("button", { name: /lookup/ }));
    expect(screen.getByText(/drawn .*"output":"found"/)).toBeTruthy();
    expect(screen.getByRole("region", { name: "Result" }).textContent).toBe("found");
  });

  it("offer the actions of plugins with the message", async () => {
    const run = vi.fn();
    publishPlugins([activePlugin("notes", { app: { ...kEmptyApp, messageActions: [{ id: "keep", title: "Keep", run }] } as never })]);
    await show([assistantRow("a", 1, "kept", { sourceSeqEnd: 5 })]);
    await userEvent.click(await screen.findByRole("button", { name: "Keep" }));
    expect(run.mock.calls[0]![0]).toMatchObject({
      threadId: "t1",
      message: { id: "a", threadId: "t1", role: "assistant", text: "kept", sourceSeqEnd: 5 },
    });
  });
});

const frame = (itemId: string, field: string, offset: number, text: string) => ({
  fromSeq: 1,
  throughSeq: 1,
  deltas: [{ itemId, field, offset, text }],
});
