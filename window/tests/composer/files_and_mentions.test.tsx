import { QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter } from "react-router";
import { afterEach, describe, expect, it, vi } from "vitest";

import { queryClient } from "@/api/queries";
import { Composer, type ComposerProps } from "@/composer/composer";
import type { ComposerMessage } from "@/composer/model";
import { composersNow } from "@/composer/registry";
import { inputOf } from "@/composer/send";
import { clearNotifications, notificationsNow } from "@/lib/notifications";
import { TooltipProvider } from "@/ui/tooltip";

import { FakeService, Refusal } from "../plugins_pages/fake_service";
import { threadRecord } from "../threads/fixtures";

afterEach(() => {
  cleanup();
  clearNotifications();
  sessionStorage.clear();
  queryClient.clear();
  vi.unstubAllGlobals();
});

const kPath = "GET /projects/p1/paths";

function service() {
  return new FakeService()
    .on("GET /system/config", () => ({ records: ["threads", "projects", "hosts"] }))
    .on("GET /plugins/contributions", () => ({ cliCommands: [], mentionProviders: [] }))
    .on("GET /threads", () => ({ threads: [threadRecord({ title: "Paint the door" }), threadRecord({ id: "t2", title: "Own" })] }))
    .on("GET /projects", () => ({ projects: [{ id: "p1", name: "Painting", kind: "standard" }] }))
    .on("GET /hosts", () => ({ hosts: [] }))
    .on(kPath, () => ({ paths: [{ kind: "file", name: "paint.ts", path: "src/paint.ts", score: 1, positions: [] }] }))
    .on("GET /projects/p1/commands", () => ({
      commands: [{ name: "review", description: "Look at the changes", argumentHint: "<branch>", source: "command", origin: "project" }],
    }))
    .install();
}

const send = vi.fn<(message: ComposerMessage) => Promise<void>>(async () => undefined);

function show(props: Partial<ComposerProps> = {}) {
  send.mockClear();
  return render(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter>
        <TooltipProvider>
          <Composer scope={{ kind: "thread", threadId: "t2", projectId: "p1" }} submit={send} {...props} />
        </TooltipProvider>
      </MemoryRouter>
    </QueryClientProvider>,
  );
}

const field = () => screen.getByRole<HTMLTextAreaElement>("textbox");
const file = (name: string, type: string, size = 3) => {
  const made = new File(["abc"], name, { type });
  Object.defineProperty(made, "size", { value: size });
  return made;
};
const attached = () => within(screen.getByRole("list", { name: "Attached files" })).getAllByRole("listitem");

describe("files of a message", () => {
  it("are chosen, dropped and pasted, removed again, and sent without a text", async () => {
    service();
    const { container } = show();
    await userEvent.upload(screen.getByLabelText("Files to attach"), [file("a.txt", "text/plain"), file("b.txt", "text/plain")]);
    fireEvent.drop(container.querySelector("[data-promptbox] textarea")!, {
      dataTransfer: { types: ["Files"], files: [file("c.txt", "text/plain")] },
    });
    fireEvent.paste(field(), { clipboardData: { files: [file("shot.png", "image/png")], getData: () => "" } });
    // A table that is copied has a picture of itself beside its text.
    fireEvent.paste(field(), { clipboardData: { files: [file("table.png", "image/png")], getData: () => "a table" } });
    expect(attached().map((row) => row.querySelector("span span")?.textContent)).toEqual(["a.txt", "b.txt", "c.txt", "shot.png"]);
    await userEvent.click(screen.getByRole("button", { name: "Remove b.txt" }));
    expect(composersNow()[0]!.state.attachments.map((one) => one.isImage)).toEqual([false, false, true]);
    await userEvent.click(screen.getByRole("button", { name: "Send message" }));
    expect(send.mock.calls[0]![0].attachments.map((one) => one.file.name)).toEqual(["a.txt", "c.txt", "shot.png"]);
    await waitFor(() => expect(screen.queryByRole("list", { name: "Attached files" })).toBeNull());
  });

  it("that are too large are named with their limit", async () => {
    service();
    show();
    const mib = 1024 * 1024;
    await userEvent.upload(screen.getByLabelText("Files to attach"), [
      file("big.png", "image/png", 11 * mib),
      file("big.txt", "text/plain", 26 * mib),
      file("fits.txt", "text/plain", 25 * mib),
    ]);
    expect(attached()).toHaveLength(1);
    expect(notificationsNow().map(({ title }) => title)).toEqual(["“big.txt” was not attached", "“big.png” was not attached"]);
  });

  it("are uploaded to the project when they are sent, each once, however often that is tried", async () => {
    let isBroken = true;
    const fake = service().on("POST /projects/p1/attachments", ({ query, headers }) => {
      if (query.get("filename") === "b.png" && isBroken) {
        throw new Refusal(507, "storage_full", "the disk is full");
      }
      const name = query.get("filename")!;
      return {
        attachment: {
          type: headers.get("content-type") === "image/png" ? "localImage" : "localFile",
          path: `/x/${name}`,
          name,
          sizeBytes: 3,
        },
      };
    });
    const message = {
      text: "look",
      mentions: [],
      attachments: [
        { key: "1", file: file("a.txt", "text/plain"), isImage: false },
        { key: "2", file: file("b.png", "image/png"), isImage: true },
      ],
    };
    await expect(inputOf(message, "p1")).rejects.toThrow("“b.png” could not be uploaded: the disk is full");
    isBroken = false;
    expect(await inputOf(message, "p1")).toEqual([
      { type: "text", text: "look" },
      { type: "localFile", path: "/x/a.txt", name: "a.txt", sizeBytes: 3 },
      { type: "localImage", path: "/x/b.png", name: "b.png", sizeBytes: 3 },
    ]);
    expect(fake.requests.filter(({ method }) => method === "POST").map(({ query }) => query.get("filename"))).toEqual([
      "a.txt",
      "b.png",
      "b.png",
    ]);
  });
});

describe("what the window offers", () => {
  it("are other threads, projects and files behind an @, which are sent as what they are", async () => {
    service();
    show();
    await userEvent.type(field(), "see @paint");
    await screen.findByRole("option", { name: /paint\.ts/ });
    expect(screen.getAllByRole("option").map(({ textContent }) => textContent)).toEqual([
      "paint.tssrc/paint.ts",
      "Paint the door",
      "Painting",
    ]);
    await userEvent.keyboard("{Enter}");
    expect(field().value).toBe("see @src/paint.ts ");
    await userEvent.type(field(), "@door");
    await userEvent.click(await screen.findByRole("option", { name: "Paint the door" }));
    await userEvent.keyboard("{Enter}");
    const [message] = send.mock.calls[0]!;
    expect(await inputOf(message, "p1")).toEqual([
      {
        type: "text",
        text: "see @src/paint.ts @Paint the door ",
        mentions: [
          {
            start: 4,
            end: 17,
            resource: { kind: "path", source: "workspace", entryKind: "file", path: "src/paint.ts", label: "src/paint.ts" },
          },
          { start: 18, end: 33, resource: { kind: "thread", threadId: "t1", label: "Paint the door", projectId: "p1" } },
        ],
      },
    ]);
  });

  it("are commands of the agent behind a slash that begins the message, and there alone", async () => {
    service();
    show({ scope: { kind: "new-thread", projectId: "p1" }, providerId: "agent" });
    await userEvent.type(field(), "a /re");
    expect(screen.queryByRole("option")).toBeNull();
    await userEvent.clear(field());
    await userEvent.type(field(), "/re");
    expect((await screen.findByRole("option")).textContent).toBe("/review<branch> – Look at the changes");
    await userEvent.keyboard("{Enter}");
    expect(field().value).toBe("/review ");
    expect(composersNow()[0]!.state.mentions[0]).toMatchObject({ start: 0, end: 7, resource: { kind: "command", name: "review" } });
  });
});
