import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { PluginFileOpenerProps } from "#sdk/app/slots/files.js";

import type { DirectoryEntry } from "@/api/files";
import type { Host } from "@/api/hosts";
import FilesPage from "@/pages/files";

import { hostRecord, ownMachine } from "../machines/fixtures";
import { FakeService, Refusal } from "../plugins_pages/fake_service";
import { renderPage, resetWindow } from "../plugins_pages/render_page";
import { pretendLayout } from "../setup/layout";
import { pluginWith, resetWindow as resetPlugins, showPlugins } from "../shell/fixtures";

let service: FakeService;
let hosts: Host[];
let folders: Record<string, DirectoryEntry[]>;
let contents: Record<string, string | Uint8Array>;
let previews: number;

const entry = (path: string, kind: DirectoryEntry["kind"] = "file"): DirectoryEntry => ({ name: path.split("/").at(-1)!, path, kind });

/** Bytes of previews, as the service answers them; every address of an older preview is over. */
function answerPreviews(): void {
  const answer = globalThis.fetch;
  vi.stubGlobal("fetch", (input: URL | string, init: RequestInit = {}) => {
    const { pathname } = new URL(String(input), document.baseURI);
    const [, id, name] = /\/previews\/(\d+)\/(.+)$/.exec(pathname) ?? [];
    if (id === undefined || name === undefined) {
      return answer(input, init);
    }
    const content = contents[decodeURIComponent(name)];
    if (content === undefined || Number(id) !== previews) {
      return Promise.resolve(Response.json({ ok: false, error: { code: "not_found", message: "no such file" } }, { status: 404 }));
    }
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    const end = Number(/bytes=0-(\d+)/.exec(new Headers(init.headers).get("range") ?? "")?.[1] ?? bytes.length);
    if (bytes.length === 0) {
      return Promise.resolve(new Response(null, { status: 416 }));
    }
    const part = bytes.slice(0, end + 1);
    const headers = { "content-range": `bytes 0-${part.length - 1}/${bytes.length}` };
    return Promise.resolve(new Response(part, { status: 206, headers }));
  });
}

beforeEach(() => {
  localStorage.clear();
  pretendLayout();
  hosts = [ownMachine, hostRecord()];
  previews = 0;
  folders = {
    "/home/ada": [entry("/home/ada/b10.txt"), entry("/home/ada/b9.txt"), entry("/home/ada/src", "directory"), entry("/home/ada/.profile")],
    "/home/ada/src": [],
  };
  contents = { "b9.txt": "first\nsecond\n" };
  service = new FakeService()
    .on("GET /hosts", () => ({ hosts }))
    .on("GET /hosts/host_1/directory", ({ query }) => {
      const path = query.get("path") ?? "/home/ada";
      const entries = folders[path];
      if (entries === undefined) {
        throw new Refusal(404, "not_found", `no such folder: ${path}`);
      }
      return { directory: path, parent: "/home", entries };
    })
    .on("POST /files/create-preview", () => ({ baseUrl: `/api/v1/files/previews/${(previews += 1)}`, expiresAtMs: Date.now() + 60_000 }))
    .install();
  answerPreviews();
});
afterEach(() => {
  resetPlugins();
  resetWindow();
  vi.restoreAllMocks();
});

/** The row of the folder `src`; how hidden words join visible ones is up to the browser. */
const kSrc = /^src ?, folder$/;
const text = () => document.body.textContent;
const show = (search = "", host = "/host_1") => renderPage("/files/:hostId", FilesPage, `/files${host}${search}`);
const names = async () =>
  (await screen.findAllByRole("link")).filter((link) => link.hasAttribute("data-row-link")).map(({ textContent }) => textContent);
const shownFile = (file: string, more = "") => show(`?path=/home/ada&file=${file}${more}`);

describe("a folder", () => {
  it("has folders first, then files by name and number, without what is hidden", async () => {
    show();
    await screen.findByRole("link", { name: kSrc });
    expect(await names()).toEqual(["src, folder", "b9.txt, file", "b10.txt, file"]);
    await userEvent.click(screen.getByRole("button", { name: "More for this folder" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "Show hidden files" }));
    expect(await names()).toContain(".profile, file");
  });

  it("says how large files are and when they changed, and puts the largest or the newest first", async () => {
    folders["/home/ada"] = [
      { ...entry("/home/ada/a.txt"), sizeBytes: 10, modifiedAt: 3000 },
      { ...entry("/home/ada/b.txt"), sizeBytes: 2048, modifiedAt: 1000 },
      { ...entry("/home/ada/c.txt"), modifiedAt: 2000 },
      { ...entry("/home/ada/src", "directory"), modifiedAt: 9000 },
    ];
    const { unmount } = show();
    expect(await screen.findByText("2.0 KiB")).toBeTruthy();
    expect([...document.querySelectorAll("time")].map(({ dateTime }) => dateTime)).toContain(new Date(3000).toISOString());
    expect(await names()).toEqual(["src, folder", "a.txt, file", "b.txt, file", "c.txt, file"]);
    const choose = (label: string) => userEvent.selectOptions(screen.getByRole("combobox", { name: "Order" }), label);
    await choose("Largest first");
    expect(await names()).toEqual(["src, folder", "b.txt, file", "a.txt, file", "c.txt, file"]);
    await choose("Newest first");
    expect(await names()).toEqual(["src, folder", "a.txt, file", "c.txt, file", "b.txt, file"]);
    // Kept for the next folder.
    unmount();
    show();
    await screen.findByRole("link", { name: kSrc });
    expect((await names())[2]).toBe("c.txt, file");
  });

  it("offers nothing of what can neither be read nor named, and says why", async () => {
    folders["/home/ada"] = [
      { ...entry("/home/ada/pipe"), isSpecial: true },
      { ...entry("/home/ada/bad\ufffd.txt"), isNameBroken: true },
      entry("/home/ada/a.txt"),
    ];
    show();
    expect(await screen.findByText("A pipe, socket or device: there is nothing to show")).toBeTruthy();
    expect(screen.getByText("Its name is not UTF-8: use a terminal")).toBeTruthy();
    expect(await names()).toEqual(["a.txt, file"]);
    expect(screen.queryByRole("button", { name: "Actions for pipe" })).toBeNull();
  });

  it("leads into folders, to the folders above, and by arrow keys from row to row", async () => {
    show();
    const folder = await screen.findByRole("link", { name: kSrc });
    folder.focus();
    await userEvent.keyboard("{ArrowDown}{ArrowDown}{ArrowUp}");
    expect(document.activeElement?.textContent).toBe("b9.txt, file");
    await userEvent.click(folder);
    expect(await screen.findByText("This folder is empty")).toBeTruthy();
    await userEvent.click(within(screen.getByRole("navigation", { name: "Folders above" })).getByRole("link", { name: "ada" }));
    expect(await names()).toContain("b9.txt, file");
  });

  it("that is not there, or of a machine that is away, says what to do", async () => {
    const { unmount } = show("?path=/gone");
    expect(await screen.findByText("This folder is not there")).toBeTruthy();
    unmount();
    hosts = [ownMachine, hostRecord({ status: "disconnected" })];
    resetWindow();
    show();
    expect(await screen.findByText("laptop is not connected")).toBeTruthy();
    expect(screen.getByRole("link", { name: /^About / }).getAttribute("href")).toBe("/settings/machines/host_1");
  });

  it("is searched below, with the letters that match marked", async () => {
    service.on("POST /files/list-paths", ({ body }) => {
      expect(body).toMatchObject({ hostId: "host_1", path: "/home/ada", query: "mn", includeFiles: true, includeDirectories: true });
      return { paths: [{ kind: "file", name: "main.cpp", path: "src/main.cpp", score: 3, positions: [4, 7] }], truncated: false };
    });
    show();
    await userEvent.type(await screen.findByRole("searchbox", { name: "Search below this folder" }), "mn");
    const found = await screen.findByRole("link", { name: /\.cpp/ });
    expect([...found.querySelectorAll("mark")].map(({ textContent }) => textContent)).toEqual(["m", "n"]);
    expect(found.getAttribute("href")).toBe("/files/host_1?path=%2Fhome%2Fada%2Fsrc&file=main.cpp");
    expect(screen.getByText("1 match")).toBeTruthy();
  });

  it("takes new folders, and says why a name is refused", async () => {
    service.on("POST /files/mkdir", ({ body }) => {
      if ((body as { path: string }).path.endsWith("/src")) {
        throw new Refusal(409, "conflict", "/home/ada/src exists");
      }
      return {};
    });
    show();
    await userEvent.click(await screen.findByRole("button", { name: "New folder" }));
    const name = await screen.findByRole("textbox", { name: "Name" });
    await userEvent.type(name, "a/b{Enter}");
    expect((await screen.findByRole("alert")).textContent).toBe("A name has no slash.");
    await userEvent.clear(name);
    await userEvent.type(name, "src{Enter}");
    await waitFor(() => expect(screen.getByRole("alert").textContent).toBe("/home/ada/src exists"));
    await userEvent.clear(name);
    await userEvent.type(name, "new{Enter}");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(service.bodies("POST /files/mkdir").at(-1)).toEqual({ hostId: "host_1", path: "/home/ada/new" });
  });

  const menuOf = async (name: string, item: string) => {
    await userEvent.click(await screen.findByRole("button", { name: `Actions for ${name}` }));
    await userEvent.click(await screen.findByRole("menuitem", { name: item }));
  };

  it("renames and deletes after asking; only a folder goes with what is in it", async () => {
    service
      .on("POST /files/move", () => ({}))
      .on("POST /files/remove", ({ body }) => {
        const { path } = body as { path: string };
        folders["/home/ada"] = folders["/home/ada"]!.filter((kept) => kept.path !== path);
        return {};
      });
    show();
    await menuOf("b9.txt", "Rename…");
    const name = await screen.findByRole("textbox", { name: "Name" });
    await userEvent.clear(name);
    await userEvent.type(name, "c.txt{Enter}");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(service.bodies("POST /files/move")).toEqual([
      { hostId: "host_1", sourcePath: "/home/ada/b9.txt", destinationPath: "/home/ada/c.txt" },
    ]);
    await menuOf("src", "Delete…");
    const question = await screen.findByRole("alertdialog", { name: "Delete src?" });
    expect(question.textContent).toContain("everything in it");
    await userEvent.click(within(question).getByRole("button", { name: "Delete" }));
    await waitFor(() => expect(screen.queryByRole("link", { name: kSrc })).toBeNull());
    await menuOf("b9.txt", "Delete…");
    await userEvent.click(await screen.findByRole("button", { name: "Delete" }));
    await waitFor(() => expect(service.bodies("POST /files/remove")).toHaveLength(2));
    expect(service.bodies("POST /files/remove")).toEqual([
      { hostId: "host_1", path: "/home/ada/src", recursive: true },
      { hostId: "host_1", path: "/home/ada/b9.txt" },
    ]);
  });

  it("moves into a folder that is chosen, and stays open when that is refused", async () => {
    let isRefused = true;
    service.on("POST /files/move", () => {
      if (isRefused) {
        throw new Refusal(409, "conflict", "/home/ada/src/b9.txt exists");
      }
      return {};
    });
    show();
    await menuOf("b9.txt", "Move…");
    const dialog = await screen.findByRole("dialog", { name: "Move b9.txt" });
    await userEvent.click(await within(dialog).findByRole("option", { name: "src" }));
    await userEvent.click(within(dialog).getByRole("button", { name: "Move here" }));
    expect(await within(dialog).findByText(/b9\.txt exists/)).toBeTruthy();
    isRefused = false;
    await userEvent.click(within(dialog).getByRole("button", { name: "Move here" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(service.bodies("POST /files/move").at(-1)).toMatchObject({ destinationPath: "/home/ada/src/b9.txt" });
  });
});

describe("a file", () => {
  it("is shown as source, with the line that was asked for marked", async () => {
    shownFile("b9.txt", "&line=2");
    await waitFor(() => expect(document.querySelector('[data-line="2"]')).not.toBeNull());
    const line = document.querySelector('[data-line="2"]')!;
    expect(line.textContent).toContain("second");
    expect(line.className).toContain("bg-surface-selected");
  });

  it("that is no UTF-8 is shown with a word about it", async () => {
    contents["b9.txt"] = new Uint8Array([0x63, 0x61, 0x66, 0xe9]);
    const { unmount } = shownFile("b9.txt");
    expect(await screen.findByText("b9.txt is not UTF-8")).toBeTruthy();
    expect(text()).toContain("caf\ufffd");
    unmount();
    contents["b9.txt"] = "caf\u00e9 \ufffd";
    resetWindow();
    shownFile("b9.txt");
    await waitFor(() => expect(text()).toContain("caf\u00e9 \ufffd"));
    expect(screen.queryByText("b9.txt is not UTF-8")).toBeNull();
  });

  it("that is no text says so, with its size and a way to keep it", async () => {
    contents["b9.txt"] = new Uint8Array([1, 0, 2]);
    shownFile("b9.txt");
    expect(await screen.findByText("b9.txt is not a text")).toBeTruthy();
    expect(screen.getByText(/^3 B\./)).toBeTruthy();
    expect(screen.getByRole("link", { name: "Download" }).getAttribute("download")).toBe("b9.txt");
  });

  it("that is long is shown in part, and no character is cut in two", async () => {
    contents["b9.txt"] = `${"x".repeat(512 * 1024 - 1)}é and more`;
    shownFile("b9.txt");
    expect(await screen.findByText(/^The first 512 KiB of 512 KiB are shown|^The first 512 KiB/)).toBeTruthy();
    expect(document.querySelector("[data-line]")!.textContent).not.toContain("�");
  });

  it("that is empty, or gone, says so", async () => {
    contents["b9.txt"] = "";
    const { unmount } = shownFile("b9.txt");
    expect(await screen.findByText("b9.txt is empty")).toBeTruthy();
    unmount();
    shownFile("nothing.txt");
    expect(await screen.findByText("nothing.txt is not there")).toBeTruthy();
  });

  it("is read under a new address when the old one is over", async () => {
    const { unmount } = shownFile("b9.txt");
    await waitFor(() => expect(text()).toContain("second"));
    unmount();
    // The server was restarted.
    previews = 40;
    shownFile("b9.txt");
    await waitFor(() => expect(text()).toContain("second"));
    await waitFor(() => expect(previews).toBe(41));
    expect(screen.queryByText("b9.txt is not there")).toBeNull();
  });

  it("of Markdown is formatted, and shown as it is written when asked", async () => {
    contents["a.md"] = "# Title\n\n![a plan](img/a%20plan.png) and [more](../notes/b.md#x), [all](sub/)";
    shownFile("a.md");
    expect(await screen.findByRole("heading", { name: "Title" })).toBeTruthy();
    // What it refers to lies beside it on the machine.
    expect(screen.getByRole("img", { name: "a plan" }).getAttribute("src")).toMatch(/\/api\/v1\/files\/previews\/1\/img\/a%20plan\.png$/);
    const address = (name: string) => new URL(screen.getByRole<HTMLAnchorElement>("link", { name }).href);
    expect(address("more").pathname + address("more").search).toBe("/files/host_1?path=%2Fhome%2Fnotes&file=b.md");
    expect(address("all").search).toBe("?path=%2Fhome%2Fada%2Fsub");
    await userEvent.click(screen.getByRole("button", { name: "Source" }));
    await waitFor(() => expect(document.querySelector('[data-line="1"]')?.textContent).toContain("# Title"));
  });

  it("that is an image is drawn by the browser; one that it cannot draw is offered for download", async () => {
    contents["a.png"] = new Uint8Array([1, 0, 2]);
    shownFile("a.png");
    const image = await screen.findByRole("img", { name: "a.png" });
    expect(image.getAttribute("src")).toMatch(/\/api\/v1\/files\/previews\/1\/a\.png$/);
    image.dispatchEvent(new Event("error"));
    expect(await screen.findByText("a.png cannot be drawn")).toBeTruthy();
  });

  it("is opened by the plugin that takes it, which can show the window's own view, and by the window when asked", async () => {
    const given: PluginFileOpenerProps[] = [];
    const Table = (props: PluginFileOpenerProps) => {
      given.push(props);
      return (
        <>
          <p>a table of {props.path}</p>
          <props.Original />
        </>
      );
    };
    showPlugins(pluginWith("tables", (app) => app.slots.fileOpener({ id: "csv", title: "Table", extensions: ["csv"], component: Table })));
    contents["a.csv"] = "one,two\n";
    shownFile("a.csv");
    expect(await screen.findByText("a table of /home/ada/a.csv")).toBeTruthy();
    await waitFor(() => expect(text()).toContain("one,two"));
    expect(given[0]!.source).toEqual({ kind: "host", threadId: null, environmentId: null, projectId: null, experimental_hostId: "host_1" });
    await userEvent.click(screen.getByRole("button", { name: "Open with" }));
    await userEvent.click(await screen.findByRole("menuitemradio", { name: "The window’s own" }));
    await waitFor(() => expect(screen.queryByText(/a table of/)).toBeNull());
    await waitFor(() => expect(text()).toContain("one,two"));
  });

  it("is shown by the window when the plugin's view stops working", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const Broken = () => {
      throw new Error("no");
    };
    showPlugins(pluginWith("tables", (app) => app.slots.fileOpener({ id: "csv", title: "Table", extensions: ["csv"], component: Broken })));
    contents["a.csv"] = "one,two\n";
    shownFile("a.csv");
    await waitFor(() => expect(text()).toContain("one,two"));
  });
});
