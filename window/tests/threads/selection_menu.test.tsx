import { act, cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { QueryClientProvider } from "@tanstack/react-query";
import { MemoryRouter } from "react-router";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { PluginMessageActionContext } from "#sdk/app/slots/message.js";
import { queryClient } from "@/api/queries";
import { composersNow } from "@/composer/registry";
import { notificationsNow } from "@/lib/notifications";
import { publishPlugins } from "@/plugins/active";
import { Conversation } from "@/threads/conversation";
import { TimelineStore } from "@/threads/timeline_store";
import { TooltipProvider } from "@/ui/tooltip";

import { activePlugin, kEmptyApp } from "../plugins/fake_plugins";
import { FakeService } from "../plugins_pages/fake_service";
import { pretendLayout } from "../setup/layout";
import { assistantRow, commandRow, timelineOf, userRow } from "./fake_timeline";
import { threadRecord } from "./fixtures";

vi.mock("@/plugins/report", () => ({ sendReport: () => undefined }));

const kRows = [
  userRow("u1", 1, "Paint the door"),
  assistantRow("a1", 2, "The door is blue now", { sourceSeqEnd: 3 }),
  commandRow("c1", 4, "", { status: "completed" }),
  userRow("u2", 5, "Thank you"),
];

beforeEach(() => {
  sessionStorage.clear();
  new FakeService()
    .on("GET /threads/t1", () => ({ thread: threadRecord() }))
    .on("GET /threads/t1/timeline", () => timelineOf(kRows))
    .on("GET /threads/t1/interactions", () => ({ interactions: [] }))
    .on("GET /threads/t1/queued-messages", () => ({ queuedMessages: [] }))
    .on("GET /threads/t1/default-execution-options", () => ({ options: null }))
    .on("GET /threads/t1/prompt-history", () => ({ entries: [] }))
    .on("GET /system/config", () => ({ records: ["threads"] }))
    .install();
  pretendLayout();
});
afterEach(() => {
  cleanup();
  document.getSelection()?.removeAllRanges();
  publishPlugins([]);
  queryClient.clear();
  vi.restoreAllMocks();
});

async function show(variant: "full" | "timeline" = "full") {
  render(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter>
        <TooltipProvider>
          <Conversation threadId="t1" surface={{ projectId: "p1", threadId: "t1" }} variant={variant} />
        </TooltipProvider>
      </MemoryRouter>
    </QueryClientProvider>,
  );
  await screen.findByText("The door is blue now");
  // Until what draws Markdown is there, other nodes show the text: with them a selection goes.
  await waitFor(() => expect(screen.getByText("The door is blue now").className).not.toContain("whitespace-pre-wrap"));
}

/** As a browser tells of a selection. */
const selectionChanged = () => act(async () => void document.dispatchEvent(new Event("selectionchange")));
async function select(from: [string, number], to: [string, number]) {
  const textOf = (text: string) => screen.getByText(text).firstChild!;
  await act(async () => {
    document.getSelection()!.setBaseAndExtent(textOf(from[0]), from[1], textOf(to[0]), to[1]);
  });
  await selectionChanged();
}
const selectDoor = () => select(["The door is blue now", 4], ["The door is blue now", 16]);

const menu = () => screen.queryByRole("toolbar", { name: "Selected text" });
const entries = () => [...(menu()?.querySelectorAll("button") ?? [])].map(({ textContent }) => textContent);
const entry = (name: string) => screen.getByRole("button", { name });
const composer = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" });

function offer(pluginId: string, run: () => unknown, title = "Keep") {
  publishPlugins([activePlugin(pluginId, { app: { ...kEmptyApp, messageActions: [{ id: "keep", title, run }] } as never })]);
}

describe("the menu of selected text", () => {
  it("offers what plugins do with a message, with the text that was selected", async () => {
    const run = vi.fn();
    offer("notes", run);
    await show();
    expect(menu()).toBeNull();
    await selectDoor();
    expect(entries()).toEqual(["Copy", "Quote", "Keep"]);
    await userEvent.click(menu()!.querySelectorAll("button")[2]!);
    expect(run.mock.calls[0]![0]).toMatchObject({
      threadId: "t1",
      message: { id: "a1", role: "assistant", text: "The door is blue now", sourceSeqEnd: 3 },
      selectedText: "door is blue",
    });
    expect(menu()).toBeNull();
    await selectionChanged();
    expect(menu()).toBeNull();
  });

  it("is there for what somebody asked as well; the bar of a message has no selected text", async () => {
    const run = vi.fn();
    offer("notes", run);
    await show();
    await select(["Thank you", 0], ["Thank you", 5]);
    await userEvent.click(menu()!.querySelectorAll("button")[2]!);
    await userEvent.click(screen.getAllByRole("button", { name: "Keep" }).at(-1)!);
    const [[selected], [whole]] = run.mock.calls as [[object], [object]];
    expect(selected).toMatchObject({ message: { id: "u2", role: "user" }, selectedText: "Thank" });
    expect(whole).toMatchObject({ message: { id: "u2" } });
    expect("selectedText" in whole).toBe(false);
  });

  it.each<[string, [string, number], [string, number]]>([
    ["two messages", ["Paint the door", 0], ["The door is blue now", 3]],
    ["a message and what was done after it", ["The door is blue now", 0], ["Thank you", 2]],
    ["nothing", ["Thank you", 2], ["Thank you", 2]],
  ])("is not there for %s", async (_what, from, to) => {
    await show();
    await selectDoor();
    await select(from, to);
    expect(menu()).toBeNull();
  });

  it("counts as one message what ends where the next one begins", async () => {
    await show();
    await select(["Paint the door", 6], ["The door is blue now", 0]);
    expect(entries()).toEqual(["Copy", "Quote"]);
  });

  it("offers nothing of plugins with a message that is being written", async () => {
    offer("notes", vi.fn());
    vi.spyOn(TimelineStore.prototype, "isStreaming").mockImplementation((id) => id === "a1");
    await show();
    await selectDoor();
    expect(entries()).toEqual(["Copy", "Quote"]);
    await select(["Thank you", 0], ["Thank you", 5]);
    expect(entries()).toEqual(["Copy", "Quote", "Keep"]);
  });

  it("waits until a mouse has selected, and not for a finger", async () => {
    await show();
    fireEvent.pointerDown(screen.getByText("The door is blue now"), { pointerType: "mouse", button: 0 });
    await selectDoor();
    expect(menu()).toBeNull();
    fireEvent.pointerUp(window, { pointerType: "mouse" });
    expect(menu()).not.toBeNull();
    fireEvent.pointerDown(menu()!.querySelector("button")!, { pointerType: "mouse", button: 0 });
    expect(menu()).not.toBeNull();
    fireEvent.pointerDown(document.body, { pointerType: "touch", button: 0 });
    await selectDoor();
    expect(menu()).not.toBeNull();
  });

  it("quotes into the composer, and offers that only where there is one", async () => {
    await show();
    await selectDoor();
    await userEvent.click(entry("Quote"));
    expect(composer().value).toContain("> door is blue");
    await waitFor(() => expect(document.activeElement).toBe(composer()));
    expect(menu()).toBeNull();
    cleanup();
    await show("timeline");
    await selectDoor();
    expect(entries()).toEqual(["Copy"]);
  });

  it("copies, and says that it did", async () => {
    await show();
    const written = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue();
    await selectDoor();
    await userEvent.click(entry("Copy"));
    await waitFor(() => expect(entries()).toContain("Copied"));
    expect(written).toHaveBeenCalledWith("door is blue");
  });

  it("names the plugin whose action throws or rejects", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    for (const run of [
      () => {
        throw new Error("no room");
      },
      async () => Promise.reject(new Error("no room")),
    ]) {
      offer("notes", run);
      await show();
      await selectDoor();
      await userEvent.click(menu()!.querySelectorAll("button")[2]!);
      await waitFor(() => expect(notificationsNow().at(-1)).toMatchObject({ kind: "error", pluginId: "notes", description: "no room" }));
      cleanup();
    }
  });

  describe("what an action locks in the composer", () => {
    const isLocked = () => composersNow()[0]!.state.locks.length > 0;
    let fail: (reason: Error) => void;
    const choose = async (run: (context: PluginMessageActionContext) => unknown, generation = 1) => {
      const plugin = activePlugin("notes", {
        generation,
        app: { ...kEmptyApp, messageActions: [{ id: "keep", title: "Keep", run }] } as never,
      });
      act(() => publishPlugins([plugin]));
      await selectDoor();
      await userEvent.click(menu()!.querySelectorAll("button")[2]!);
      await select(["Thank you", 0], ["Thank you", 2]);
    };
    const lock = ({ composer: own }: PluginMessageActionContext) => {
      own.setInputLock(true);
      return new Promise<void>((_resolve, reject) => (fail = reject));
    };
    beforeEach(async () => {
      await show();
      await choose(lock);
      expect(isLocked()).toBe(true);
    });

    it("is unlocked by another one", async () => {
      await choose(({ composer: own }) => own.setInputLock(false));
      expect(isLocked()).toBe(false);
    });

    it("ends when the action fails", async () => {
      vi.spyOn(console, "error").mockImplementation(() => undefined);
      await act(async () => fail(new Error("no")));
      await waitFor(() => expect(isLocked()).toBe(false));
    });

    it("ends with the plugin, also when another version of it comes", async () => {
      await act(async () => publishPlugins([]));
      expect(isLocked()).toBe(false);
      await choose(lock);
      expect(isLocked()).toBe(true);
      await act(async () => publishPlugins([activePlugin("notes", { generation: 2 })]));
      expect(isLocked()).toBe(false);
    });
  });

  it("is reached with Tab, gone through with arrows, and gives the focus and the selection back", async () => {
    offer("notes", vi.fn());
    await show();
    await selectDoor();
    const message = screen.getByRole("article", { name: "Answer" });
    message.focus();
    await userEvent.tab();
    expect(document.activeElement?.textContent).toBe("Copy");
    const steps: [string, string][] = [
      ["{ArrowRight}", "Quote"],
      ["{ArrowDown}", "Keep"],
      ["{ArrowRight}", "Copy"],
      ["{ArrowLeft}", "Keep"],
      ["{Home}", "Copy"],
      ["{End}", "Keep"],
    ];
    for (const [key, name] of steps) {
      await userEvent.keyboard(key);
      expect(document.activeElement?.textContent, key).toBe(name);
      expect(
        [...menu()!.querySelectorAll("button")].filter(({ tabIndex }) => tabIndex === 0).map(({ textContent }) => textContent),
      ).toEqual([name]);
    }
    await userEvent.keyboard("{Escape}");
    expect(menu()).toBeNull();
    expect(document.activeElement).toBe(message);
    expect(String(document.getSelection())).toBe("door is blue");
    await selectionChanged();
    expect(menu()).toBeNull();
    await select(["The door is blue now", 4], ["The door is blue now", 8]);
    expect(menu()).not.toBeNull();
  });

  it("is left with Tab to where the focus was, and Tab elsewhere on the page stays what it is", async () => {
    await show();
    await selectDoor();
    screen.getByRole("article", { name: "Answer" }).focus();
    await userEvent.tab();
    await userEvent.tab();
    expect(menu()).toBeNull();
    expect(screen.getByRole("article", { name: "Answer" }).contains(document.activeElement)).toBe(true);
    const other = document.createElement("button");
    await select(["Thank you", 0], ["Thank you", 5]);
    document.body.prepend(other);
    other.focus();
    await userEvent.tab();
    expect(menu()!.contains(document.activeElement)).toBe(false);
    other.remove();
  });

  it("loses the entries of a plugin that goes, and keeps the focus", async () => {
    offer("notes", vi.fn());
    await show();
    await selectDoor();
    await userEvent.tab();
    await userEvent.keyboard("{End}");
    expect(document.activeElement?.textContent).toBe("Keep");
    act(() => publishPlugins([]));
    expect(entries()).toEqual(["Copy", "Quote"]);
    expect(document.activeElement?.textContent).toBe("Copy");
  });

  it("runs what a plugin registered last", async () => {
    const [before, after] = [vi.fn(), vi.fn()];
    offer("notes", before);
    await show();
    await selectDoor();
    act(() => offer("notes", after));
    await userEvent.click(menu()!.querySelectorAll("button")[2]!);
    expect(before).not.toHaveBeenCalled();
    expect(after).toHaveBeenCalledOnce();
  });

  it("goes while the text is scrolled out of view, and comes back with it", async () => {
    await show();
    const rect = vi.spyOn(Range.prototype, "getBoundingClientRect");
    await selectDoor();
    const scrolled = () => fireEvent.scroll(screen.getByRole("region", { name: "Messages" }));
    rect.mockReturnValue(new DOMRect(0, -200, 100, 20));
    scrolled();
    expect(menu()).toBeNull();
    rect.mockReturnValue(new DOMRect(0, 0, 100, 20));
    scrolled();
    expect(menu()).not.toBeNull();
  });
});

describe("Ctrl+A", () => {
  it("selects the message that keys went to, and the page elsewhere", async () => {
    await show();
    composer().focus();
    await userEvent.keyboard("{Alt>}{ArrowUp}{ArrowUp}{/Alt}");
    expect(document.activeElement).toBe(screen.getByRole("article", { name: "Answer" }));
    expect(fireEvent.keyDown(document.activeElement!, { key: "a", ctrlKey: true })).toBe(false);
    expect(String(document.getSelection())).toBe("The door is blue now");
    await selectionChanged();
    expect(menu()).not.toBeNull();
    screen.getByRole("region", { name: "Messages" }).focus();
    expect(fireEvent.keyDown(document.activeElement!, { key: "a", ctrlKey: true })).toBe(true);
  });
});
