import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { Host } from "@/api/hosts";
import type { Terminal } from "@/api/terminals";
import MachinesPage from "@/pages/machines";
import { notificationsNow } from "@/lib/notifications";

import { FakeService, Refusal } from "../plugins_pages/fake_service";
import { renderPage, resetWindow } from "../plugins_pages/render_page";
import { threadRecord } from "../threads/fixtures";
import { terminalRecord } from "../terminals/fixtures";
import { hostRecord, ownMachine } from "./fixtures";

const kRecords = ["hosts", "threads", "projects", "environments"];

let service: FakeService;
let hosts: Host[];
let terminals: Terminal[];

beforeEach(() => {
  hosts = [ownMachine, hostRecord()];
  terminals = [];
  service = new FakeService()
    .on("GET /hosts", () => ({ hosts }))
    .on("GET /terminals", () => ({ sessions: terminals }))
    .on("GET /system/config", () => ({ serverUrl: "http://127.0.0.1:4700", dataDir: "/data", timezone: "UTC", records: kRecords }))
    .on("GET /threads", () => ({ threads: [] }))
    .on("GET /projects", () => ({ projects: [] }))
    .on("GET /environments", () => ({ environments: [] }))
    .install();
});
afterEach(resetWindow);

const showList = () => renderPage("/settings/machines", MachinesPage, "/settings/machines");
const showOne = (id: string) => renderPage("/settings/machines/:hostId", MachinesPage, `/settings/machines/${id}`);
const row = async (name: string) => (await screen.findByText(name, { selector: "li *" })).closest("li")!;
const openMenu = async (name: string) => userEvent.click(await screen.findByRole("button", { name: `Actions for ${name}` }));

describe("the list", () => {
  it("tells each machine's state in words, with what to do about it", async () => {
    hosts = [
      ownMachine,
      hostRecord({
        id: "host_2",
        name: "old",
        status: "disconnected",
        state: "setup-required",
        stateMessage: "It speaks protocol 1, this server 2: update svc-hostd.",
        lastSeenAt: null,
      }),
      hostRecord({
        id: "host_3",
        name: "away",
        status: "disconnected",
        state: "unavailable",
        stateMessage: "its daemon is not connected: run `svc-hostd`",
        platform: "linux-arm64",
        lastSeenAt: Date.now() - 3 * 60_000,
      }),
      hostRecord({ id: "host_4", name: "blinking", status: "disconnected" }),
    ];
    showList();
    expect((await row("home")).textContent).toMatch(/Connected.*The server's own machine/);
    expect((await row("old")).textContent).toMatch(/Setup required.*update svc-hostd/);
    expect((await row("old")).textContent).not.toContain("last seen");
    expect((await row("away")).textContent).toMatch(
      /Unavailable.*Machine · Linux, arm64 · last seen 3 minutes ago.*Its daemon is not connected: run svc-hostd\./,
    );
    expect(screen.getByText("svc-hostd").tagName).toBe("CODE");
    expect((await row("blinking")).textContent).toContain("Reconnecting");
  });

  it("leads to each machine's page", async () => {
    showList();
    expect((await screen.findByRole("link", { name: "laptop" })).getAttribute("href")).toBe("/settings/machines/host_1");
  });

  it("leads to each machine's files, and opens a terminal where one can", async () => {
    hosts = [ownMachine, hostRecord({ status: "disconnected" })];
    const { router } = showList();
    expect((await screen.findByRole("link", { name: "Files of laptop" })).getAttribute("href")).toBe("/files/host_1");
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Open terminal on laptop" }).disabled).toBe(true);
    await userEvent.click(screen.getByRole("button", { name: "Open terminal on home" }));
    expect(await screen.findByRole("dialog", { name: "Open a terminal" })).toBeTruthy();
    expect(router.state.location.search).toBe("?open=&host=host_0");
    await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(router.state.location.search).toBe(""));
  });

  it("has the terminals of each machine below it, also of one that was removed", async () => {
    terminals = [terminalRecord(), terminalRecord({ id: "term_2", hostId: "host_gone", title: "logs", status: "exited", exitCode: 3 })];
    showList();
    const rows = await screen.findByRole("list", { name: "Terminals of laptop" });
    expect(rows.textContent).toMatch(/build.*Running.*\/home\/ada/);
    expect(within(rows).getByRole("link", { name: "build" }).getAttribute("href")).toBe("/terminals/term_1");
    expect(screen.getByRole("list", { name: "Terminals of machines that were removed" }).textContent).toContain("Ended with 3");
    expect(screen.queryByRole("list", { name: "Terminals of home" })).toBeNull();
  });

  it("is there when the terminals cannot be read, and says so", async () => {
    service.on("GET /terminals", () => {
      throw new Refusal(500, "internal_error", "the store is closed");
    });
    showList();
    expect(await screen.findByRole("link", { name: "laptop" })).toBeTruthy();
    expect((await screen.findByRole("alert")).textContent).toContain("The terminals could not be read");
  });

  it("asks before it ends what runs in a shell", async () => {
    terminals = [terminalRecord()];
    service.on("POST /terminals/term_1/close", ({ body }) => {
      if ((body as { mode: string }).mode === "if-clean") {
        throw new Refusal(409, "conflict", "make runs in it");
      }
      terminals = [terminalRecord({ status: "exited", closeReason: "user" })];
      return { terminal: terminals[0] };
    });
    showList();
    await userEvent.click(await screen.findByRole("button", { name: "Actions for build" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "Close" }));
    await userEvent.click(await screen.findByRole("button", { name: "End and close" }));
    await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
    expect(service.bodies("POST /terminals/term_1/close")).toEqual([{ mode: "if-clean" }, { mode: "force" }]);
  });

  it("says why it could not be read, and tries again", async () => {
    service.on("GET /hosts", () => {
      throw new Refusal(500, "internal_error", "the store is closed");
    });
    showList();
    expect((await screen.findByRole("alert")).textContent).toContain("the store is closed");
    service.on("GET /hosts", () => ({ hosts }));
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    expect(await screen.findByRole("link", { name: "laptop" })).toBeTruthy();
  });

  it("does not offer to remove the server's own machine", async () => {
    showList();
    await openMenu("home");
    expect(await screen.findByRole("menuitem", { name: "Rename…" })).toBeTruthy();
    expect(screen.queryByRole("menuitem", { name: "Remove…" })).toBeNull();
    expect(screen.queryByRole("menuitem", { name: "New join code…" })).toBeNull();
  });
});

describe("a new name", () => {
  beforeEach(() => {
    service.on("PATCH /hosts/host_1", ({ body }) => {
      const { name } = body as { name: string };
      hosts = [ownMachine, hostRecord({ name })];
      return { host: hosts[1] };
    });
  });
  const rename = async () => {
    showList();
    await openMenu("laptop");
    await userEvent.click(await screen.findByRole("menuitem", { name: "Rename…" }));
    return screen.findByRole("textbox", { name: "New name of laptop" });
  };

  it("is typed in place, saved with Enter, and the focus goes back to the menu's button", async () => {
    const field = await rename();
    await waitFor(() => expect(document.activeElement).toBe(field));
    await userEvent.clear(field);
    await userEvent.type(field, "  workshop {Enter}");
    expect(await screen.findByRole("link", { name: "workshop" })).toBeTruthy();
    expect(service.bodies("PATCH /hosts/host_1")).toEqual([{ name: "workshop" }]);
    expect(document.activeElement?.getAttribute("aria-label")).toMatch(/^Actions for/);
  });

  it("is given up with Escape", async () => {
    await userEvent.type(await rename(), "x{Escape}");
    expect(await screen.findByRole("link", { name: "laptop" })).toBeTruthy();
    expect(service.bodies("PATCH /hosts/host_1")).toEqual([]);
  });

  it("stays in the field when it is blank or refused, with the reason", async () => {
    service.on("PATCH /hosts/host_1", () => {
      throw new Refusal(400, "invalid_input", "name: control characters are not allowed");
    });
    const field = await rename();
    await userEvent.clear(field);
    await userEvent.type(field, "{Enter}");
    expect((await screen.findByRole("alert")).textContent).toBe("Enter a name.");
    await userEvent.type(field, "bad{Enter}");
    await waitFor(() => expect(screen.getByRole("alert").textContent).toBe("name: control characters are not allowed"));
    expect(field).toHaveProperty("value", "bad");
  });
});

describe("removal", () => {
  it("asks first, says what it means, and removes", async () => {
    service.on("DELETE /hosts/host_1", () => {
      hosts = [ownMachine];
      return {};
    });
    showList();
    await openMenu("laptop");
    await userEvent.click(await screen.findByRole("menuitem", { name: "Remove…" }));
    const dialog = await screen.findByRole("alertdialog", { name: "Remove laptop?" });
    expect(dialog.textContent).toContain("key stops working");
    expect(service.requests.some(({ method }) => method === "DELETE")).toBe(false);
    await userEvent.click(within(dialog).getByRole("button", { name: "Remove" }));
    await waitFor(() => expect(screen.queryByRole("link", { name: "laptop" })).toBeNull());
    expect(notificationsNow()[0]).toMatchObject({ kind: "success", title: "Removed laptop" });
  });

  it("says what cannot go on without the machine", async () => {
    service
      .on("GET /threads", () => ({
        threads: [
          threadRecord({ id: "t1", environmentHostId: "host_1", status: "active" }),
          threadRecord({ id: "t2", environmentHostId: "host_1" }),
          threadRecord({ id: "t3", environmentHostId: "host_0" }),
        ],
      }))
      .on("GET /environments", () => ({
        environments: [
          { id: "e1", hostId: "host_1", status: "ready" },
          { id: "e2", hostId: "host_1", status: "destroyed" },
        ],
      }));
    showList();
    await openMenu("laptop");
    await userEvent.click(await screen.findByRole("menuitem", { name: "Remove…" }));
    const dialog = await screen.findByRole("alertdialog", { name: "Remove laptop?" });
    await waitFor(() => expect(dialog.textContent).toContain("2 threads (1 at work) and 1 workspace are on it."));
  });

  it("that fails says so in the dialog", async () => {
    service.on("DELETE /hosts/host_1", () => {
      throw new Refusal(409, "conflict", "it is being removed already");
    });
    const { router } = showOne("host_1");
    await userEvent.click(await screen.findByRole("button", { name: "Remove" }));
    const dialog = await screen.findByRole("alertdialog");
    await userEvent.click(within(dialog).getByRole("button", { name: "Remove" }));
    expect((await within(dialog).findByRole("alert")).textContent).toContain("it is being removed already");
    expect(router.state.location.pathname).toBe("/settings/machines/host_1");
  });

  it("from a machine's page leads back to the list", async () => {
    service.on("DELETE /hosts/host_1", () => ({}));
    const { router } = showOne("host_1");
    await userEvent.click(await screen.findByRole("button", { name: "Remove" }));
    await userEvent.click(within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Remove" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/settings/machines"));
  });
});

describe("a machine's page", () => {
  it("has everything about it", async () => {
    hosts = [
      hostRecord({
        status: "disconnected",
        state: "setup-required",
        stateMessage: "Update svc-hostd there.",
        lastSeenAt: null,
        lastRejectedProtocolVersion: 7,
      }),
    ];
    showOne("host_1");
    expect((await screen.findByRole("heading", { level: 1 })).textContent).toBe("laptop");
    const main = document.body.textContent;
    for (const text of ["Setup required", "Update svc-hostd there.", "host_1", "Never", "Version 7"]) {
      expect(main).toContain(text);
    }
  });

  it("lists its terminals, and no other machine's", async () => {
    terminals = [terminalRecord(), terminalRecord({ id: "term_2", hostId: "host_0", title: "logs" })];
    showOne("host_1");
    expect(await screen.findByRole("link", { name: "build" })).toBeTruthy();
    expect(screen.queryByRole("link", { name: "logs" })).toBeNull();
  });

  it("of the server's own machine tells where the service is", async () => {
    showOne("host_0");
    expect(await screen.findByText("http://127.0.0.1:4700")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Remove" })).toBeNull();
  });

  it("that does not exist says so", async () => {
    showOne("host_9");
    expect((await screen.findByRole("heading", { level: 1 })).textContent).toBe("This machine is not known");
    expect(screen.getByRole("link", { name: "All machines" }).getAttribute("href")).toBe("/settings/machines");
  });
});
