import { QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter } from "react-router";
import { afterEach, describe, expect, it, vi } from "vitest";

import { queryClient } from "@/api/queries";
import { Composer, type ComposerProps } from "@/composer/composer";
import type { ComposerMessage } from "@/composer/model";
import { composersNow } from "@/composer/registry";
import { inputOf, textProblem } from "@/composer/send";
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

/** What the service would get of each message. */
const sent = vi.fn<(input: unknown) => void>();
const sendInput = async (message: ComposerMessage) => sent(await inputOf(message, "p1"));

function show(props: Partial<ComposerProps> = {}) {
  send.mockClear();
  sent.mockClear();
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
/** A service that takes files for the project, after `before`. */
const uploads = (fake: FakeService, before: () => unknown = () => undefined) =>
  fake.on("POST /projects/p1/attachments", async ({ query, headers }) => {
    await before();
    const name = query.get("filename")!;
    const type = headers.get("content-type") === "image/png" ? "localImage" : "localFile";
    return { attachment: { type, path: `/x/${name}`, name, sizeBytes: 3 } };
  });
const sentNames = (fake: FakeService) => fake.requests.filter(({ method }) => method === "POST").map(({ query }) => query.get("filename"));
const attached = () => within(screen.getByRole("list", { name: "Attached files" })).getAllByRole("listitem");

describe("files of a message", () => {
  it("are chosen, dropped and pasted, removed again, and sent without a text", async () => {
    uploads(service());
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
    expect(send.mock.calls[0]![0].attachments.map(({ name }) => name)).toEqual(["a.txt", "c.txt", "shot.png"]);
    await waitFor(() => expect(screen.queryByRole("list", { name: "Attached files" })).toBeNull());
  });

  it("that are too large are named with their limit", async () => {
    uploads(service());
    show();
    await userEvent.upload(screen.getByLabelText("Files to attach"), [
      file("big.png", "image/png", 10_000_001),
      file("big.txt", "text/plain", 25_000_001),
      file("fits.txt", "text/plain", 25_000_000),
    ]);
    expect(attached()).toHaveLength(1);
    expect(notificationsNow().map(({ title }) => title)).toEqual(["“big.txt” was not attached", "“big.png” was not attached"]);
  });

  it("are uploaded as soon as they are attached, and sent as what the service has", async () => {
    const fake = uploads(service());
    show({ submit: sendInput });
    await userEvent.upload(screen.getByLabelText("Files to attach"), [file("a.txt", "text/plain"), file("b.png", "image/png")]);
    await waitFor(() => expect(attached().map(({ textContent }) => textContent)).toEqual(["a.txt3 B", "b.png3 B"]));
    expect(sentNames(fake)).toEqual(["a.txt", "b.png"]);
    await userEvent.type(field(), "look{Enter}");
    await waitFor(() => expect(sent).toHaveBeenCalledOnce());
    expect(sent.mock.calls[0]![0]).toEqual([
      { type: "text", text: "look" },
      { type: "localFile", path: "/x/a.txt", name: "a.txt", sizeBytes: 3 },
      { type: "localImage", path: "/x/b.png", name: "b.png", sizeBytes: 3 },
    ]);
    expect(sentNames(fake)).toEqual(["a.txt", "b.png"]);
  });

  it("show how far they are, and end with their row", async () => {
    let isGivenUp = false;
    uploads(service(), () => new Promise(() => undefined));
    show();
    await userEvent.upload(screen.getByLabelText("Files to attach"), file("a.txt", "text/plain"));
    const bar = await screen.findByRole("progressbar", { name: "Upload of a.txt" });
    await waitFor(() => expect(bar.getAttribute("aria-valuenow")).toBe("50"));
    const waiting = inputOf({ text: "", mentions: [], attachments: composersNow()[0]!.state.attachments }, "p1").catch((failure: Error) => {
      isGivenUp = true;
      return failure.message;
    });
    expect(isGivenUp).toBe(false);
    await userEvent.click(screen.getByRole("button", { name: "Remove a.txt" }));
    expect(screen.queryByRole("progressbar")).toBeNull();
    expect(await waiting).toContain("a.txt");
  });

  it("that could not be uploaded say why, are tried again, and keep a message from leaving without them", async () => {
    let isBroken = true;
    const fake = uploads(service(), () => {
      if (isBroken) {
        throw new Refusal(507, "storage_full", "the disk is full");
      }
    });
    show({ submit: sendInput });
    await userEvent.upload(screen.getByLabelText("Files to attach"), file("a.txt", "text/plain"));
    expect((await within(attached()[0]!).findByRole("alert")).textContent).toBe("Not uploaded: the disk is full");
    await userEvent.click(screen.getByRole("button", { name: "Send message" }));
    expect(await screen.findByText("“a.txt” could not be uploaded: the disk is full")).toBeTruthy();
    expect(attached()).toHaveLength(1);
    isBroken = false;
    await userEvent.click(screen.getByRole("button", { name: "Upload a.txt again" }));
    await waitFor(() => expect(attached()[0]!.textContent).toBe("a.txt3 B"));
    await userEvent.click(screen.getByRole("button", { name: "Send message" }));
    await waitFor(() => expect(screen.queryByRole("list", { name: "Attached files" })).toBeNull());
    expect(sentNames(fake)).toEqual(["a.txt", "a.txt", "a.txt"]);
  });

  it("that are sent to another project are uploaded there", async () => {
    const fake = uploads(service()).on("POST /projects/p2/attachments", () => ({ attachment: { type: "localFile", path: "/y/a.txt" } }));
    show();
    await userEvent.upload(screen.getByLabelText("Files to attach"), file("a.txt", "text/plain"));
    await waitFor(() => expect(attached()[0]!.textContent).toBe("a.txt3 B"));
    const { attachments } = composersNow()[0]!.state;
    expect(await inputOf({ text: "", mentions: [], attachments }, "p2")).toEqual([{ type: "localFile", path: "/y/a.txt" }]);
    expect(sentNames(fake)).toEqual(["a.txt", "a.txt"]);
  });
});

describe("files of a kept draft", () => {
  const kept = { key: "old.1", name: "a.png", size: 3, isImage: true };
  const keepDraftWith = (...attachments: object[]) =>
    sessionStorage.setItem("svc.draft.k", JSON.stringify({ text: "", mentions: [], attachments }));
  const done = { status: "done", projectId: "p1", attachment: { type: "localImage", path: "/x/a.png", name: "a.png", sizeBytes: 3 } };

  it("are there again with what was uploaded, and are sent without another upload", async () => {
    const fake = uploads(service());
    show({ draftKey: "k" });
    await userEvent.upload(screen.getByLabelText("Files to attach"), file("a.png", "image/png"));
    await waitFor(() => expect(attached()[0]!.textContent).toBe("a.png3 B"));
    const { key } = composersNow()[0]!.state.attachments[0]!;
    // As after the page was loaded again, when nothing but the storage of the tab is left.
    const stored = { draft: sessionStorage.getItem("svc.draft.k")!, upload: sessionStorage.getItem(`svc.upload.${key}`)! };
    await userEvent.click(screen.getByRole("button", { name: "Remove a.png" }));
    expect([sessionStorage.getItem("svc.draft.k"), sessionStorage.getItem(`svc.upload.${key}`)]).toEqual([null, null]);
    cleanup();
    sessionStorage.setItem("svc.draft.k", stored.draft);
    sessionStorage.setItem(`svc.upload.${key}`, stored.upload);
    show({ draftKey: "k", submit: sendInput });
    expect(attached()[0]!.querySelector("img")!.src).toContain("/projects/p1/attachments/content?path=%2Fx%2Fa.png");
    await userEvent.click(screen.getByRole("button", { name: "Send message" }));
    await waitFor(() => expect(sent.mock.calls).toEqual([[[done.attachment]]]));
    expect(sentNames(fake)).toEqual(["a.png"]);
  });

  it("that never reached the service say so and can only be removed", () => {
    uploads(service());
    keepDraftWith({ ...kept, key: "old.2" }, { nonsense: 1 });
    show({ draftKey: "k" });
    expect(attached()).toHaveLength(1);
    expect(within(attached()[0]!).getByRole("alert").textContent).toContain("loaded again before it was uploaded");
    expect(within(attached()[0]!).getAllByRole("button")).toEqual([screen.getByRole("button", { name: "Remove a.png" })]);
  });

  it("are fetched from the project that has them for another one", async () => {
    const read = vi.fn(async () => new Response("abc"));
    const fake = uploads(service()).on("POST /projects/p2/attachments", () => ({ attachment: { type: "localImage", path: "/y/a.png" } }));
    const answer = fetch;
    vi.stubGlobal("fetch", (target: URL | string, init?: RequestInit) =>
      String(target).includes("/attachments/content") ? read() : answer(target, init),
    );
    keepDraftWith({ ...kept, key: "old.3" });
    sessionStorage.setItem("svc.upload.old.3", JSON.stringify(done));
    show({ draftKey: "k" });
    const { attachments } = composersNow()[0]!.state;
    expect(await inputOf({ text: "", mentions: [], attachments }, "p2")).toEqual([{ type: "localImage", path: "/y/a.png" }]);
    expect(read).toHaveBeenCalledOnce();
    expect(sentNames(fake)).toEqual(["a.png"]);
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

  it("are commands by the beginning of their name first, then by their name, then by what they do", async () => {
    const command = (name: string, description: string | null) => ({
      name,
      description,
      argumentHint: null,
      source: "command",
      origin: "project",
    });
    service().on("GET /projects/p1/commands", () => ({
      commands: [
        command("check", "Runs the Test suite"),
        command("fastest", null),
        command("test", "Writes one"),
        command("deploy", "To the server"),
      ],
    }));
    show({ scope: { kind: "new-thread", projectId: "p1" }, providerId: "agent" });
    await userEvent.type(field(), "/tEst");
    await screen.findAllByRole("option");
    expect(screen.getAllByRole("option").map(({ textContent }) => textContent)).toEqual([
      "/testWrites one",
      "/fastest",
      "/checkRuns the Test suite",
    ]);
  });
});

describe("a text that is too long", () => {
  it("is refused before anything of the message is sent, with its size; the draft stays", async () => {
    const requests = service();
    show({ submit: sendInput });
    const text = "ä".repeat(524_289);
    fireEvent.change(field(), { target: { value: text } });
    await userEvent.click(screen.getByRole("button", { name: "Send message" }));
    expect((await screen.findByRole("alert")).textContent).toContain("The message has 1,048,578 bytes of text, and 1,048,576 are taken.");
    expect(sent).not.toHaveBeenCalled();
    expect(requests.requests.filter(({ method }) => method !== "GET")).toEqual([]);
    expect(field().value.length).toBe(text.length);
  });

  it("is none as long as the service takes it", () => {
    expect(textProblem("a".repeat(1_048_576))).toBeNull();
    expect(textProblem("a".repeat(1_048_577))).toContain("1,048,577 bytes");
  });
});
