import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { type Host, invalidateHosts } from "@/api/hosts";
import { baseUrl } from "@/lib/address";
import MachinesPage from "@/pages/machines";
import { formatCountdown, isLoopback, kCodeLifetimeMs, lifetimeOf, platformName, sentence } from "@/pages/machines/state";

import { FakeService, Refusal } from "../plugins_pages/fake_service";
import { renderPage, resetWindow } from "../plugins_pages/render_page";
import { hostRecord, ownMachine } from "./fixtures";

let service: FakeService;
let hosts: Host[];
let codes: number;

beforeEach(() => {
  hosts = [ownMachine];
  codes = 0;
  service = new FakeService()
    .on("GET /hosts", () => ({ hosts }))
    .on("POST /hosts/join-codes", () => ({
      joinCode: `svce_${++codes}`,
      hostId: "host_7",
      expiresAt: Date.now() + kCodeLifetimeMs,
      serverUrl: null,
    }))
    .install();
});
afterEach(() => {
  vi.useRealTimers();
  resetWindow();
});

const show = () => renderPage("/settings/machines", MachinesPage, "/settings/machines");
const command = () => screen.findByLabelText("Command");

async function add(name = "") {
  show();
  await userEvent.click(await screen.findByRole("button", { name: "Add machine" }));
  if (name !== "") {
    await userEvent.type(await screen.findByLabelText("Name"), name);
  }
  await userEvent.click(await screen.findByRole("button", { name: "Create join code" }));
}

describe("adding a machine", () => {
  it("makes no code before it is asked to", async () => {
    show();
    await userEvent.click(await screen.findByRole("button", { name: "Add machine" }));
    await screen.findByRole("dialog", { name: "Add a machine" });
    expect(service.bodies("POST /hosts/join-codes")).toEqual([]);
  });

  it("shows the command with this window's address, and copies it", async () => {
    await add(" workshop ");
    const text = (await command()).textContent ?? "";
    expect(service.bodies("POST /hosts/join-codes")).toEqual([{ name: "workshop" }]);
    expect(text).toBe(`svc-hostd join --server ${new URL("./", document.baseURI).href.replace(/\/+$/, "")} --code svce_1`);
    const write = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue();
    fireEvent.click(screen.getByRole("button", { name: "Copy the command" }));
    await waitFor(() => expect(write).toHaveBeenCalledExactlyOnceWith(text));
  });

  it("warns of an address that means the machine itself, unless the server knows another one", async () => {
    vi.spyOn(baseUrl, "href", "get").mockReturnValue("http://127.0.0.1:4700/");
    await add();
    expect(await screen.findByText("Another machine cannot use this address")).toBeTruthy();
    await userEvent.click(screen.getAllByRole("button", { name: "Close" })[0]!);
    service.on("POST /hosts/join-codes", () => ({
      joinCode: "svce_5",
      hostId: "host_7",
      expiresAt: Date.now() + kCodeLifetimeMs,
      serverUrl: "https://svc.example.org",
    }));
    await userEvent.click(screen.getByRole("button", { name: "Add machine" }));
    await userEvent.click(await screen.findByRole("button", { name: "Create join code" }));
    expect((await command()).textContent).toBe("svc-hostd join --server https://svc.example.org --code svce_5");
    expect(screen.queryByText("Another machine cannot use this address")).toBeNull();
  });

  it("leaves the name to the machine when none is given", async () => {
    await add();
    await command();
    expect(service.bodies("POST /hosts/join-codes")).toEqual([{}]);
  });

  it("follows the machine until it is connected", async () => {
    await add();
    expect(await screen.findByText("Waiting for the machine…")).toBeTruthy();
    hosts = [ownMachine, hostRecord({ id: "host_7", status: "disconnected", state: "setup-required", lastSeenAt: null })];
    act(invalidateHosts);
    expect(await screen.findByText("laptop has joined; waiting for its first connection…")).toBeTruthy();
    hosts = [ownMachine, hostRecord({ id: "host_7" })];
    act(invalidateHosts);
    await waitFor(() => expect(screen.getByRole("dialog").textContent).toContain("laptop is connected."));
    expect(screen.queryByLabelText("Command")).toBeNull();
  });

  it("says in the dialog why there is no code", async () => {
    service.on("POST /hosts/join-codes", () => {
      throw new Refusal(503, "overloaded", "too many join codes; try again in a minute");
    });
    await add("workshop");
    expect((await screen.findByRole("alert")).textContent).toContain("try again in a minute");
    expect(screen.getByLabelText("Name")).toHaveProperty("value", "workshop");
  });

  it("counts down, hides a code that is over, and makes another for the same machine", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"], now: 0 });
    await add();
    await command();
    expect(screen.getByRole("timer").textContent).toBe("15:00");
    act(() => void vi.advanceTimersByTime(61_000));
    expect(screen.getByRole("timer").textContent).toBe("13:59");
    act(() => void vi.advanceTimersByTime(kCodeLifetimeMs));
    expect(screen.queryByLabelText("Command")).toBeNull();
    expect(screen.getByText("This code does not work any more.")).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Create a new code" }));
    expect((await command()).textContent).toContain("svce_2");
    expect(service.bodies("POST /hosts/join-codes")).toEqual([{}, { hostId: "host_7" }]);
  });
});

describe("a new code for a machine", () => {
  it("is bound to it, and does not take its present connection for the new one", async () => {
    hosts = [ownMachine, hostRecord()];
    show();
    await userEvent.click(await screen.findByRole("button", { name: "Actions for laptop" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "New join code…" }));
    expect(await screen.findByRole("dialog", { name: "Join laptop again" })).toBeTruthy();
    expect(screen.queryByLabelText("Name")).toBeNull();
    service.on("POST /hosts/join-codes", () => ({
      joinCode: "svce_9",
      hostId: "host_1",
      expiresAt: Date.now() + kCodeLifetimeMs,
      serverUrl: null,
    }));
    await userEvent.click(screen.getByRole("button", { name: "Create join code" }));
    expect((await command()).textContent).toContain("svce_9");
    expect(service.bodies("POST /hosts/join-codes")).toEqual([{ hostId: "host_1" }]);
    expect(screen.getByText(/stays connected with its present key/)).toBeTruthy();
  });
});

describe("texts", () => {
  it("a code's time does not depend on the server's clock", () => {
    expect(lifetimeOf(60_000, 0)).toBe(60_000);
    expect(lifetimeOf(60_000, 120_000)).toBe(kCodeLifetimeMs);
    expect(lifetimeOf(3_600_000, 0)).toBe(kCodeLifetimeMs);
  });

  it("the time left is rounded up to seconds", () => {
    expect([900_000, 59_001, 1, 0, -5].map(formatCountdown)).toEqual(["15:00", "1:00", "0:01", "0:00", "0:00"]);
  });

  it("addresses that mean the computer itself are known", () => {
    expect(["localhost", "svc.localhost", "127.0.0.1", "127.1.2.3", "[::1]"].every(isLoopback)).toBe(true);
    expect(["192.168.0.7", "svc.example.org", "127.example.org", "[fe80::1]", "1270.0.0.1"].some(isLoopback)).toBe(false);
  });

  it("what the service says of a state is a sentence", () => {
    expect(["its daemon is away", "Done.", "run `svc-hostd`"].map(sentence)).toEqual(["Its daemon is away.", "Done.", "Run `svc-hostd`."]);
  });

  it("platforms have names", () => {
    expect(["linux-x64", "darwin-arm64", "freebsd", "", null, undefined].map(platformName)).toEqual([
      "Linux, x64",
      "macOS, arm64",
      "freebsd",
      null,
      null,
      null,
    ]);
  });
});
