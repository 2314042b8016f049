import { QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { MemoryRouter } from "react-router";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { queryClient } from "@/api/queries";
import HomePage from "@/pages/home";
import { publishPlugins } from "@/plugins/active";
import { TooltipProvider } from "@/ui/tooltip";

import { activePlugin, kEmptyApp, record } from "../plugins/fake_plugins";
import { reply, unknownRoute } from "../sdk_app/mounts";

const { to, toCompose } = vi.hoisted(() => ({ to: vi.fn(), toCompose: vi.fn() }));
vi.mock("@/lib/navigation", async (original) => {
  const real = await original<{ navigation: object }>();
  return { ...real, navigation: { ...real.navigation, to, toThread: to, toCompose } };
});

const fetchMock = vi.fn<typeof fetch>();
const kProvider = { id: "p", displayName: "P", available: true, unavailableReason: null };

let providers: object[];
let plugins: () => Response;
let config: () => Response;

beforeEach(() => {
  sessionStorage.clear();
  queryClient.clear();
  to.mockReset();
  providers = [kProvider];
  plugins = () => reply(200, { ok: true, plugins: [] });
  config = () => reply(500, { ok: false, error: { code: "internal", message: "not now" } });
  fetchMock.mockImplementation(async (target, init) => {
    const { pathname } = new URL(target as URL);
    if (pathname === "/api/v1/plugins") {
      return plugins();
    }
    if (pathname.endsWith("/system/config")) {
      return config();
    }
    if (pathname.endsWith("/providers")) {
      return reply(200, { ok: true, providers });
    }
    if (pathname.endsWith("/providers/models")) {
      return reply(200, { ok: true, models: [], selectedOnlyModels: [], permissionCeiling: "full", modelLoadError: null });
    }
    if (pathname.endsWith("/provider-states")) {
      const state = { providerId: "robot", hostId: "h", available: false, unavailableReason: "robot is not on the PATH" };
      return reply(200, { ok: true, states: [state] });
    }
    return pathname.endsWith("/threads") && init?.method === "POST"
      ? unknownRoute()
      : reply(200, { ok: true, cliCommands: [], mentionProviders: [] });
  });
  vi.stubGlobal("fetch", fetchMock);
});
afterEach(() => {
  cleanup();
  publishPlugins([]);
  vi.unstubAllGlobals();
});

const show = (state?: unknown) =>
  render(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter initialEntries={[{ pathname: "/", state }]}>
        <TooltipProvider>
          <HomePage />
        </TooltipProvider>
      </MemoryRouter>
    </QueryClientProvider>,
  );

describe("the new-thread page", () => {
  it("says what to do first where there are no plugins", async () => {
    show();
    expect(await screen.findByText("svc plugin new hello")).toBeTruthy();
    expect(screen.getByText("svc plugin install builtin:plugin-author")).toBeTruthy();
    expect(screen.getByText("svc plugin install builtin:machines")).toBeTruthy();
    expect(screen.getByText("svc plugin install <path>")).toBeTruthy();
    expect(screen.getByText("svc plugin install todo@examples")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Browse the examples" }));
    expect(to).toHaveBeenCalledWith("/plugins?view=browse");
    await userEvent.click(screen.getByRole("button", { name: "Install in this window" }));
    expect(to).toHaveBeenCalledWith("/plugins?install");
    expect(screen.getByRole("link", { name: "Read the documentation" }).getAttribute("href")).toBe("docs/");
    expect(screen.getAllByRole("heading", { level: 1 })).toHaveLength(1);
  });

  it("says nothing of that where there is one, and shows the sections of plugins", async () => {
    plugins = () => reply(200, { ok: true, plugins: [record("todo", "h")] });
    const Section = ({ projectId }: { projectId: string | null }) => <p>project {String(projectId)}</p>;
    publishPlugins([
      activePlugin("todo", { app: { ...kEmptyApp, homepageSections: [{ id: "s", title: "My todos", component: Section }] } as never }),
    ]);
    show();
    expect(screen.getByRole("region", { name: "My todos" }).textContent).toContain("project null");
    await waitFor(() => expect(queryClient.isFetching()).toBe(0));
    expect(screen.queryByText("No plugins yet")).toBeNull();
  });

  it("says in place that nobody answers, and leads to the pages of plugins", async () => {
    config = () => reply(200, { ok: true, records: [] });
    const cliCommand = { name: "todo", summary: "Keep a list", shadowed: false };
    plugins = () => reply(200, { ok: true, plugins: [record("todo", "h", { enabled: true, cliCommand })] });
    publishPlugins([
      activePlugin("todo", {
        app: { ...kEmptyApp, navPanels: [{ id: "p", title: "Todos", icon: "ListTodo", path: "todos", component: () => null }] } as never,
      }),
    ]);
    show();
    expect(await screen.findByRole("heading", { name: "No agent is connected" })).toBeTruthy();
    expect(screen.getByRole("link", { name: "Todos" }).getAttribute("href")).toBe("/plugins/todo/todos");
    expect(screen.getByRole("link", { name: "see how to connect an agent" }).getAttribute("href")).toBe("/settings/agents");
    expect(screen.getByText("npm install -g opencode-ai")).toBeTruthy();
    expect((await screen.findByRole("list", { name: "Commands of plugins" })).textContent).toBe("svc todo – Keep a list");
  });

  it("shows what goes on below the composer: each part where there is something of it, and five rows at most", async () => {
    const schedule = { cron: "* * * * *", timezone: "UTC", lastRunAt: null, lastError: null, lastRunMissed: false };
    const schedules = [1, 2, 3, 4, 5, 6].map((n) => ({
      ...schedule,
      name: `run-${n}`,
      nextRunAt: Date.now() + n * 60_000,
      lastStatus: null,
    }));
    plugins = () =>
      reply(200, {
        ok: true,
        plugins: [record("a", null, { schedules }), record("b", null, { status: "error", statusDetail: "no entry" })],
      });
    show();
    const next = await screen.findByRole("region", { name: "Next" });
    const rows = within(next).getAllByRole("link");
    expect(rows.map(({ textContent }) => /run-\d/.exec(textContent)?.[0])).toEqual(["run-1", "run-2", "run-3", "run-4", "run-5"]);
    expect(rows[1]!.querySelector("time")!.textContent).toBe("in 2 minutes");
    const failed = screen.getByRole("region", { name: "Did not work" });
    expect(within(failed).getByRole("link").textContent).toBe("The bno entry");
    expect(within(failed).getByRole("link").getAttribute("href")).toBe("/plugins/b");
    expect(screen.queryByRole("region", { name: "Waits for you" })).toBeNull();
    expect(screen.queryByRole("region", { name: "At work" })).toBeNull();
    expect(screen.queryByRole("region", { name: "Pages" })).toBeNull();
  });

  it("says nothing of that where there is an agent, nor before that is known", async () => {
    show();
    await waitFor(() => expect(queryClient.isFetching()).toBe(0));
    expect(screen.queryByText("No agent is connected")).toBeNull();
    config = () => reply(200, { ok: true, records: ["providers"] });
    await queryClient.resetQueries();
    await waitFor(() => expect(queryClient.isFetching()).toBe(0));
    expect(screen.queryByText("No agent is connected")).toBeNull();
  });

  it("says what machines have looked for where no agent is there, how one is configured, and looks again", async () => {
    config = () => reply(200, { ok: true, records: ["providers"] });
    providers = [];
    show();
    await userEvent.click(await screen.findByText("What was looked for, and what is missing"));
    expect(screen.getByText(/robot is not on the PATH/)).toBeTruthy();
    expect(screen.getByLabelText("An agent in config.json").textContent).toContain('"command"');
    providers = [kProvider];
    await userEvent.click(screen.getByRole("button", { name: "Look again" }));
    await waitFor(() => expect(screen.queryByText("No agent is connected")).toBeNull());
  });

  it("offers first things to ask where an agent is and no thread yet", async () => {
    config = () => reply(200, { ok: true, records: ["providers", "threads", "projects"] });
    show();
    await userEvent.click(await screen.findByRole("button", { name: /^Look around/ }));
    expect(screen.getByText(/^P can be asked now/)).toBeTruthy();
    expect(toCompose).toHaveBeenCalledWith(expect.objectContaining({ focusPrompt: true }));
  });

  it("hands the project of a navigation to its sections", () => {
    const Section = ({ projectId }: { projectId: string | null }) => <p>project {String(projectId)}</p>;
    publishPlugins([
      activePlugin("todo", { app: { ...kEmptyApp, homepageSections: [{ id: "s", title: "My todos", component: Section }] } as never }),
    ]);
    show({ compose: { projectId: "proj_1" } });
    expect(screen.getByText("project proj_1")).toBeTruthy();
  });

  it("shows no heading over a section that renders nothing, as soon as that changes", async () => {
    let set: (text: string | null) => void = () => undefined;
    const Section = () => {
      const [text, setText] = useState<string | null>(null);
      set = setText;
      return text;
    };
    publishPlugins([
      activePlugin("todo", { app: { ...kEmptyApp, homepageSections: [{ id: "s", title: "My todos", component: Section }] } as never }),
    ]);
    show();
    const region = () => screen.queryByRole("region", { name: "My todos" });
    expect(region()).toBeNull();
    act(() => set("one"));
    await waitFor(() => expect(region()?.textContent).toBe("My todosone"));
    // Plugin styles measure the section, not the window.
    expect(region()!.querySelector(".\\@container")!.textContent).toBe("one");
    act(() => set(null));
    await waitFor(() => expect(region()).toBeNull());
  });

  it("says that plugins could not be loaded, and tries again", async () => {
    plugins = () => reply(500, { ok: false, error: { code: "internal", message: "disk is full" } });
    show();
    expect(await screen.findByText("disk is full")).toBeTruthy();
    plugins = () => reply(200, { ok: true, plugins: [record("todo", "h")] });
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    await waitFor(() => expect(screen.queryByText("disk is full")).toBeNull());
  });

  it("has the focus where the message is written, unless somebody types elsewhere or there is no keyboard", () => {
    const field = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "New thread" });
    show();
    expect(document.activeElement).toBe(field());
    cleanup();
    const other = document.body.appendChild(document.createElement("input"));
    other.focus();
    show();
    expect(document.activeElement).toBe(other);
    cleanup();
    other.remove();
    vi.stubGlobal("matchMedia", (query: string) => ({ matches: query === "(pointer: coarse)" }));
    show();
    expect(document.activeElement).not.toBe(field());
  });

  it("takes up the prompt of a navigation and shows why it was not sent", async () => {
    config = () => reply(200, { ok: true, records: [] });
    show({ compose: { initialPrompt: "Make a plugin", focusPrompt: true } });
    const field = screen.getByRole<HTMLTextAreaElement>("textbox", { name: "New thread" });
    expect(field.value).toBe("Make a plugin");
    expect(document.activeElement).toBe(field);
    await userEvent.keyboard("{Enter}");
    expect((await screen.findByRole("alert")).textContent).toContain("unknown route");
    expect(field.value).toBe("Make a plugin");
  });

  it("starts with the project, the agent and the mode of the last thread", async () => {
    const thread = { id: "thr_1", projectId: "p1" };
    const created: unknown[] = [];
    const answers: Record<string, object> = {
      "/system/config": { records: ["threads", "projects", "providers"] },
      "/projects": { projects: [{ id: "p1", name: "Website", kind: "standard", sources: [] }] },
      "/providers": { providers: [kProvider, { ...kProvider, id: "q", displayName: "Q" }] },
      "/projects/p1/default-execution-options": { options: null },
      "/providers/models": { models: [], selectedOnlyModels: [], permissionCeiling: "full", modelLoadError: null },
      "/plugins": { plugins: [] },
      "/threads": { threads: [], thread },
    };
    fetchMock.mockImplementation(async (target, init) => {
      const path = new URL(target as URL).pathname.replace("/api/v1", "");
      if (init?.method === "POST" && path === "/threads") {
        created.push(JSON.parse(init.body as string));
      }
      return reply(200, { ok: true, cliCommands: [], mentionProviders: [], ...answers[path] });
    });
    const picker = (name: string) => screen.findByRole<HTMLSelectElement>("combobox", { name });
    const first = show();
    await userEvent.selectOptions(await picker("Project"), "Website");
    await userEvent.selectOptions(await picker("Agent"), "Q");
    await userEvent.selectOptions(await picker("Permission mode"), "Never asks");
    await userEvent.type(screen.getByRole("textbox", { name: "New thread" }), "Do it{Enter}");
    await waitFor(() => expect(to).toHaveBeenCalledWith("thr_1"));
    first.unmount();
    show();
    await waitFor(async () => expect((await picker("Project")).value).toBe("p1"));
    await waitFor(async () => expect((await picker("Agent")).value).toBe("q"));
    expect((await picker("Permission mode")).value).toBe("full");
    await userEvent.type(screen.getByRole("textbox", { name: "New thread" }), "And this{Enter}");
    await waitFor(() => expect(created).toHaveLength(2));
    expect(created[1]).toMatchObject({ projectId: "p1", providerId: "q", permissionMode: "full" });
  });
});
