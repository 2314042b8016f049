import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { Host } from "@/api/hosts";
import type { Terminal } from "@/api/terminals";
import { queryClient } from "@/api/queries";
import { notificationsNow } from "@/lib/notifications";
import MachinesPage from "@/pages/machines";
import TerminalsPage from "@/pages/terminals";
import type { ScreenOptions } from "@/terminals/xterm_screen";

import { hostRecord, ownMachine } from "../machines/fixtures";
import { FakeService, Refusal } from "../plugins_pages/fake_service";
import { renderPage, resetWindow } from "../plugins_pages/render_page";
import { terminalRecord } from "./fixtures";

/** The emulator needs a layout: what it would draw is text here. */
const drawn = vi.hoisted(() => ({
  text: "",
  options: undefined as ScreenOptions | undefined,
  isReadOnly: false,
  isReader: false,
  focused: 0,
}));
vi.mock("@/terminals/xterm_screen", () => ({
  createScreen: (_element: HTMLElement, options: ScreenOptions) => {
    drawn.options = options;
    return {
      write(bytes: Uint8Array, done: () => void) {
        drawn.text += new TextDecoder().decode(bytes);
        done();
      },
      markGap: () => undefined,
      fit: () => undefined,
      followColours: () => undefined,
      setLabel: () => undefined,
      setReadOnly: (isReadOnly: boolean) => void (drawn.isReadOnly = isReadOnly),
      setScreenReader: (isOn: boolean) => void (drawn.isReader = isOn),
      focus: () => void (drawn.focused += 1),
      text: () => drawn.text,
      paste: (text: string) => options.onInput(text),
      dispose: () => undefined,
    };
  },
}));

let service: FakeService;
let hosts: Host[];
let terminals: Terminal[];

beforeEach(() => {
  Object.assign(drawn, { text: "", options: undefined, isReadOnly: false, isReader: false, focused: 0 });
  localStorage.clear();
  hosts = [ownMachine, hostRecord()];
  terminals = [terminalRecord(), terminalRecord({ id: "term_2", hostId: "host_0", title: "logs", status: "exited", exitCode: 3 })];
  service = new FakeService()
    .on("GET /hosts", () => ({ hosts }))
    .on("GET /terminals", () => ({ sessions: terminals }))
    .on("GET /terminals/term_1/output", ({ query }) => ({
      // What is kept comes at once, what follows when there is some.
      chunks: query.get("sinceSeq") === "1" && query.get("waitMs") === "25000" ? [] : [{ seq: 0, dataBase64: btoa("$ make\r\n") }],
      nextSeq: 1,
      truncated: false,
    }))
    .on("GET /hosts/host_1/directory", ({ query }) => {
      const path = query.get("path") ?? "/home/ada";
      const folder = (name: string) => ({ name, path: `${path}/${name}`, kind: "directory" });
      return {
        directory: path,
        parent: "/home",
        entries: [folder("src"), folder("srv"), folder(".git"), { ...folder("a"), kind: "file" }],
      };
    })
    .install();
});
afterEach(resetWindow);

const showMachines = (search: string) => renderPage("/settings/machines", MachinesPage, `/settings/machines${search}`);
const showAll = () => renderPage("/terminals", TerminalsPage, "/terminals");
const showOne = (id = "term_1") => renderPage("/terminals/:terminalId", TerminalsPage, `/terminals/${id}`);
const attached = () => waitFor(() => expect(drawn.text).toBe("$ make\r\n"));
const typed = () => service.bodies("POST /terminals/term_1/input").map((body) => atob((body as { dataBase64: string }).dataBase64));

describe("the keyboard on the page of a terminal", () => {
  it("is the terminal's at once, unless the terminal takes nothing or somebody types elsewhere", async () => {
    const { unmount } = showOne();
    await waitFor(() => expect(drawn.focused).toBe(1));
    unmount();
    showOne("term_2").unmount();
    const field = document.body.appendChild(document.createElement("input"));
    field.focus();
    showOne();
    await attached();
    expect(drawn.focused).toBe(1);
    field.remove();
  });
});

describe("the page of all terminals", () => {
  it("has those of each machine, also of removed ones", async () => {
    terminals = [...terminals, terminalRecord({ id: "term_3", hostId: "host_gone", title: "left" })];
    showAll();
    const lists = await screen.findAllByRole("list", { name: /^Terminals of / });
    expect(
      lists.map((list) =>
        within(list)
          .getAllByRole("link")
          .map(({ textContent }) => textContent),
      ),
    ).toEqual([["logs"], ["build"], ["left"]]);
    expect(screen.getByRole("heading", { level: 1, name: "Terminals" })).toBeTruthy();
  });

  it("asks where a terminal is opened, also when there is none", async () => {
    terminals = [];
    showAll();
    expect(await screen.findByText("No terminal is open")).toBeTruthy();
    await userEvent.click(screen.getAllByRole("button", { name: "Open a terminal" })[0]!);
    expect(await screen.findByRole("dialog", { name: "Open a terminal" })).toBeTruthy();
  });
});

describe("a new terminal", () => {
  beforeEach(() => {
    service.on("POST /terminals", () => ({ terminal: terminalRecord({ id: "term_9" }) }));
  });

  it("opens in a folder that is typed, completed and chosen by keys alone", async () => {
    const { router } = showMachines("?open&host=host_1");
    const field = await screen.findByRole<HTMLInputElement>("combobox", { name: "Folder" });
    await waitFor(() => expect(field.value).toBe("/home/ada/"));
    await userEvent.click(field);
    // Hidden folders and files are not in the way.
    expect((await within(screen.getByRole("listbox")).findAllByRole("option")).map(({ textContent }) => textContent)).toEqual([
      "Folder above",
      "src",
      "srv",
    ]);
    await userEvent.keyboard("src{Tab}");
    await waitFor(() => expect(field.value).toBe("/home/ada/src/"));
    await screen.findAllByRole("option");
    await userEvent.keyboard("{ArrowDown}{ArrowDown}");
    expect(within(screen.getByRole("listbox")).getByRole("option", { selected: true }).textContent).toBe("src");
    await userEvent.keyboard("{Enter}");
    expect(field.value).toBe("/home/ada/src/src/");
    await userEvent.keyboard("{Enter}");
    await waitFor(() => expect(router.state.location.pathname).toBe("/terminals/term_9"));
    expect(service.bodies("POST /terminals")).toEqual([
      { scope: { kind: "host_path", hostId: "host_1", cwd: "/home/ada/src/src" }, cols: 80, rows: 24 },
    ]);
  });

  it("says what is wrong with a folder, and stays open when the service refuses", async () => {
    service
      .on("GET /hosts/host_1/directory", () => {
        throw new Refusal(404, "not_found", "no such folder: /nowhere");
      })
      .on("POST /terminals", () => {
        throw new Refusal(409, "conflict", "64 terminals are open on this machine: close one first");
      });
    showMachines("?open&host=host_1&path=/nowhere");
    expect((await screen.findByRole("alert")).textContent).toContain("no such folder: /nowhere");
    await userEvent.click(screen.getByRole("button", { name: "Open terminal" }));
    expect(await screen.findByText(/64 terminals are open/)).toBeTruthy();
  });

  it("is not opened on a machine that is away", async () => {
    hosts = [ownMachine, hostRecord({ status: "disconnected" })];
    showMachines("?open&host=host_1");
    expect(await screen.findByText("laptop is not connected")).toBeTruthy();
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Open terminal" }).disabled).toBe(true);
  });
});

describe("a terminal", () => {
  it("shows what it has written and sends what is typed", async () => {
    service.on("POST /terminals/term_1/input", () => ({ terminal: terminals[0] }));
    showOne();
    await attached();
    drawn.options!.onInput("ls\r");
    await waitFor(() => expect(typed()).toEqual(["ls\r"]));
    expect(drawn.isReadOnly).toBe(false);
    expect(screen.getByRole("heading", { level: 1, name: "build" })).toBeTruthy();
  });

  it("sends no answers to what is only drawn again", async () => {
    let answer: (() => void) | undefined;
    service.on("GET /terminals/term_1/output", async () => {
      await new Promise<void>((resolve) => (answer = resolve));
      return { chunks: [], nextSeq: 1, truncated: false };
    });
    showOne();
    await waitFor(() => expect(answer).toBeDefined());
    drawn.options!.onAnswer("\x1b[1;1R");
    act(() => answer!());
    await waitFor(() => expect(screen.queryByText("Reading its output…")).toBeNull());
    expect(typed()).toEqual([]);
  });

  it("answers what a program asks now", async () => {
    service.on("POST /terminals/term_1/input", () => ({ terminal: terminals[0] }));
    showOne();
    await attached();
    await waitFor(() => expect(screen.queryByText("Reading its output…")).toBeNull());
    drawn.options!.onAnswer("\x1b[1;1R");
    await waitFor(() => expect(typed()).toEqual(["\x1b[1;1R"]));
  });

  it("holds what is typed before its output is there", async () => {
    let answer: (() => void) | undefined;
    service
      .on("POST /terminals/term_1/input", () => ({ terminal: terminals[0] }))
      .on("GET /terminals/term_1/output", async () => {
        await new Promise<void>((resolve) => (answer = resolve));
        return { chunks: [], nextSeq: 1, truncated: false };
      });
    showOne();
    await waitFor(() => expect(answer).toBeDefined());
    drawn.options!.onInput("pr");
    drawn.options!.onInput("intf");
    expect(typed()).toEqual([]);
    act(() => answer!());
    await waitFor(() => expect(typed()).toEqual(["printf"]));
  });

  it("forgets what was typed before its output when that cannot be read", async () => {
    let isAway = true;
    let answer: () => void = () => undefined;
    const isAnswered = new Promise<void>((resolve) => (answer = resolve));
    service
      .on("POST /terminals/term_1/input", () => ({ terminal: terminals[0] }))
      .on("GET /terminals/term_1/output", async () => {
        await isAnswered;
        if (isAway) {
          throw new Refusal(502, "host_unavailable", "laptop is not connected");
        }
        return { chunks: [], nextSeq: 1, truncated: false };
      });
    showOne();
    await waitFor(() => expect(drawn.options).toBeDefined());
    drawn.options!.onInput("early");
    answer();
    expect(await screen.findByText(/cannot be read at the moment/)).toBeTruthy();
    drawn.options!.onInput("meanwhile");
    isAway = false;
    // The machine is back, and its output is read at once.
    terminals = [terminalRecord({ status: "starting" })];
    await act(() => queryClient.invalidateQueries({ queryKey: ["terminals"] }));
    await waitFor(() => expect(screen.queryByText(/cannot be read at the moment/)).toBeNull());
    drawn.options!.onInput("now");
    await waitFor(() => expect(typed()).toEqual(["now"]));
  });

  it("says when what was typed did not arrive", async () => {
    service.on("POST /terminals/term_1/input", () => {
      throw new Refusal(502, "host_unavailable", "laptop is not connected");
    });
    showOne();
    await attached();
    drawn.options!.onInput("x");
    await waitFor(() => expect(notificationsNow()[0]?.description).toBe("laptop is not connected"));
  });

  it("tells the machine its size, and only when it is another one", async () => {
    service.on("POST /terminals/term_1/resize", ({ body }) => ({ terminal: { ...terminals[0], ...(body as object) } }));
    showOne();
    await attached();
    drawn.options!.onSize({ cols: 80, rows: 24 });
    drawn.options!.onSize({ cols: 120, rows: 40 });
    await waitFor(() => expect(service.bodies("POST /terminals/term_1/resize")).toEqual([{ cols: 120, rows: 40 }]));
  });

  it("says that another window has set its size, until it is used here", async () => {
    service.on("POST /terminals/term_1/resize", ({ body }) => {
      terminals = [terminalRecord(body as { cols: number; rows: number })];
      return { terminal: terminals[0] };
    });
    showOne();
    await attached();
    act(() => drawn.options!.onSize({ cols: 120, rows: 40 }));
    const known = () => queryClient.getQueryData<Terminal[]>(["terminals"])?.find(({ id }) => id === "term_1");
    await waitFor(() => expect(known()?.cols).toBe(120));
    await act(() => queryClient.invalidateQueries({ queryKey: ["terminals"] }));
    terminals = [terminalRecord({ cols: 73, rows: 23 })];
    await act(() => queryClient.invalidateQueries({ queryKey: ["terminals"] }));
    expect((await screen.findByText(/Another window has set the size/)).textContent).toContain("73 × 23");
    act(() => drawn.options!.onUse());
    await waitFor(() => expect(service.bodies("POST /terminals/term_1/resize").at(-1)).toEqual({ cols: 120, rows: 40 }));
    expect(screen.queryByText(/Another window has set the size/)).toBeNull();
  });

  it("is left by keys, to its actions", async () => {
    showOne();
    await attached();
    expect(screen.getByText(/Tab goes to the terminal/).textContent).toContain("CtrlShiftL");
    act(() => drawn.options!.onLeave());
    expect(document.activeElement?.getAttribute("aria-label")).toBe("Copy the selection, or all of it");
  });

  it("keeps its text for screen readers when somebody asks for it, in every terminal", async () => {
    showOne();
    await attached();
    await userEvent.click(screen.getByRole("button", { name: "More actions" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "Screen reader mode" }));
    await waitFor(() => expect(drawn.isReader).toBe(true));
    expect(localStorage.getItem("svc.terminals.screen-reader")).toBe("true");
  });

  it("takes another title", async () => {
    service.on("POST /terminals/term_1/rename", ({ body }) => {
      terminals = [terminalRecord(body as { title: string })];
      return { terminal: terminals[0] };
    });
    showOne();
    await attached();
    await userEvent.click(screen.getByRole("button", { name: "More actions" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "Rename…" }));
    const field = await screen.findByRole("textbox", { name: "Title" });
    await userEvent.clear(field);
    await userEvent.type(field, " tests {Enter}");
    expect(await screen.findByRole("heading", { level: 1, name: "tests" })).toBeTruthy();
    expect(service.bodies("POST /terminals/term_1/rename")).toEqual([{ title: "tests" }]);
  });

  it("that has ended says how, takes no keys, and starts anew under another address", async () => {
    terminals = [terminalRecord({ status: "exited", exitCode: 2, closeReason: "process-exit" })];
    service.on("POST /terminals/term_1/restart", () => ({ terminal: terminalRecord({ id: "term_7" }) }));
    const { router } = showOne();
    expect(await screen.findByText("What ran in it has ended with exit code 2.")).toBeTruthy();
    await waitFor(() => expect(drawn.isReadOnly).toBe(true));
    await userEvent.click(screen.getByRole("button", { name: "Restart" }));
    await userEvent.click(await within(await screen.findByRole("alertdialog")).findByRole("button", { name: "Restart" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/terminals/term_7"));
  });

  it("of a machine that is away says so and waits", async () => {
    hosts = [ownMachine, hostRecord({ status: "disconnected" })];
    terminals = [terminalRecord({ status: "disconnected" })];
    showOne();
    expect(await screen.findByText("laptop is not connected")).toBeTruthy();
    await waitFor(() => expect(drawn.isReadOnly).toBe(true));
  });

  it("that is not known says so", async () => {
    showOne("term_404");
    expect(await screen.findByRole("heading", { level: 1, name: "This terminal is not there" })).toBeTruthy();
  });
});
