import { act, cleanup, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { PluginRpcClient } from "#sdk/app/rpc_client.js";
import { queryClient } from "@/api/queries";
import { realtime } from "@/api/realtime";
import { updateDiagnostics, diagnosticsNow, forgetDiagnostics } from "@/plugins/diagnostics";
import { kHooks } from "@/sdk_app/hooks";
import { pluginQueryClient } from "@/sdk_app/rpc_queries";
import { setCodeThemes } from "@/lib/theme";

import { activePlugin } from "../plugins/fake_plugins";
import { fakeMount, renderHookInMount, reply, unknownRoute } from "./mounts";

const navigation = vi.hoisted(() => ({
  toThread: vi.fn(),
  toProject: vi.fn(),
  toPluginPanel: vi.fn(),
  toCompose: vi.fn(),
  toFiles: vi.fn(),
}));
vi.mock("@/lib/navigation", async (original) => ({ ...(await original<object>()), navigation }));
vi.mock("@/plugins/report", () => ({ sendReport: () => undefined }));

const fetchMock = vi.fn<typeof fetch>();
/** What was requested: method, path with query, body. */
const requests = () =>
  fetchMock.mock.calls.map(([target, init]) => {
    const { pathname, search } = new URL(target instanceof Request ? target.url : target);
    return [init?.method ?? "GET", pathname + search, init?.body === undefined ? undefined : JSON.parse(init.body as string)];
  });

beforeEach(() => {
  fetchMock.mockReset();
  vi.stubGlobal("fetch", fetchMock);
  queryClient.clear();
  pluginQueryClient.clear();
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe("every hook", () => {
  it.each(Object.entries(kHooks))("%s says that it works in a mount only", (name, hook) => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    function Caller() {
      (hook as (...args: unknown[]) => unknown)({ method: "m", input: () => null, panelId: "p", id: "i" }, () => undefined);
      return null;
    }
    expect(() => render(<Caller />)).toThrow(`${name} was called outside of a plugin mount`);
  });
});

describe("useRpc", () => {
  const client = () => renderHookInMount(() => kHooks.useRpc() as PluginRpcClient);

  it("posts to the plugin's route, an input that is left out as null", async () => {
    fetchMock.mockImplementation(async () => reply(200, { ok: true, result: [1] }));
    const { seen } = client();
    expect(await seen.current.call("todos.list" as never)).toEqual([1]);
    expect(requests()).toEqual([["POST", "/api/v1/plugins/todo/rpc/todos.list", null]]);
  });

  it("rejects with the server's words and facts", async () => {
    const error = {
      code: "invalid_input",
      message: "title is too long",
      issues: [{ message: "too long", path: ["title"] }],
      details: { max: 9 },
    };
    fetchMock.mockImplementation(async () => reply(400, { ok: false, error }, { "x-request-id": "r1" }));
    await expect(client().seen.current.call("add" as never, { title: "…" } as never)).rejects.toMatchObject({
      name: "PluginRpcError",
      message: "title is too long",
      code: "invalid_input",
      status: 400,
      requestId: "r1",
      issues: error.issues,
      details: error.details,
    });
  });

  it("refuses what is not JSON before anything is sent", async () => {
    await expect(client().seen.current.call("add" as never, { items: [1, Number.NaN] } as never)).rejects.toThrow("$input.items[1]");
    expect(fetchMock).not.toHaveBeenCalled();
  });

  it("is the same object for a plugin in every mount and render", () => {
    const [first, second] = [client(), client()];
    const before = first.seen.current;
    first.rerender();
    expect(first.seen.current).toBe(before);
    expect(second.seen.current).toBe(before);
    const other = renderHookInMount(() => kHooks.useRpc(), { mount: fakeMount({ plugin: activePlugin("other") }) });
    expect(other.seen.current).not.toBe(before);
  });
});

describe("useRealtime", () => {
  it("calls the latest handler of the plugin's channel, and logs what it throws", () => {
    const error = vi.spyOn(console, "error").mockImplementation(() => undefined);
    let emit: (payload: unknown) => void = () => undefined;
    const stop = vi.fn();
    const onSignal = vi.spyOn(realtime, "onSignal").mockImplementation((_id, _channel, listener) => {
      emit = listener as typeof emit;
      return stop;
    });
    let handler = vi.fn<(payload: unknown) => void>();
    const { rerender, unmount } = renderHookInMount(() => kHooks.useRealtime("changed", handler));
    expect(onSignal).toHaveBeenCalledExactlyOnceWith("todo", "changed", expect.any(Function));
    const first = handler;
    handler = vi.fn(() => {
      throw new Error("mine");
    });
    rerender();
    emit({ id: 1 });
    expect(first).not.toHaveBeenCalled();
    expect(handler).toHaveBeenCalledWith({ id: 1 });
    expect(error).toHaveBeenCalled();
    expect(onSignal).toHaveBeenCalledOnce();
    unmount();
    expect(stop).toHaveBeenCalledOnce();
  });
});

describe("useSettings", () => {
  const schema = { url: { type: "string" }, token: { type: "string", secret: true }, size: { type: "number" }, on: { type: "boolean" } };
  const values = { url: "u", token: { set: true }, size: 3, on: false, gone: null };

  it("gives what is set, and nothing of secrets", async () => {
    fetchMock.mockImplementation(async () => reply(200, { ok: true, schema, values }));
    const { seen } = renderHookInMount(() => kHooks.useSettings());
    expect(seen.current).toEqual({ isLoading: true });
    await waitFor(() => expect(seen.current).toEqual({ values: { url: "u", size: 3, on: false }, isLoading: false }));
  });

  it("never gives a secret, even if the service sent its text", async () => {
    fetchMock.mockImplementation(async () => reply(200, { ok: true, schema, values: { token: "hunter2" } }));
    const { seen } = renderHookInMount(() => kHooks.useSettings());
    await waitFor(() => expect(seen.current.values).toEqual({}));
  });

  it("has no values after a failure", async () => {
    fetchMock.mockImplementation(async () => reply(500, { ok: false, error: { code: "internal", message: "no" } }));
    const { seen } = renderHookInMount(() => kHooks.useSettings());
    await waitFor(() => expect(seen.current).toEqual({ isLoading: false }));
    expect(seen.current.values).toBeUndefined();
  });

  it("asks once for several mounts, and again when plugins changed", async () => {
    fetchMock.mockImplementation(async () => reply(200, { ok: true, schema, values }));
    const { seen } = renderHookInMount(() => kHooks.useSettings());
    renderHookInMount(() => kHooks.useSettings());
    await waitFor(() => expect(seen.current.isLoading).toBe(false));
    expect(fetchMock).toHaveBeenCalledOnce();
    await act(() => queryClient.invalidateQueries({ queryKey: ["plugin-settings"] }));
    expect(fetchMock).toHaveBeenCalledTimes(2);
  });
});

describe("useSvcContext", () => {
  const at = (route: string, mount = fakeMount()) => renderHookInMount(() => kHooks.useSvcContext(), { at: route, mount }).seen.current;

  it("is that of the surface, else that of the route", () => {
    expect(at("/projects/p1/threads/t1")).toEqual({ projectId: "p1", threadId: "t1" });
    expect(at("/plugins/todo/main")).toEqual({ projectId: null, threadId: null });
    expect(at("/threads/t1", fakeMount({ surface: { projectId: "p2", threadId: "t2" } }))).toEqual({ projectId: "p2", threadId: "t2" });
  });
});

describe("useSvcNavigate", () => {
  const navigate = (mount = fakeMount()) => renderHookInMount(() => kHooks.useSvcNavigate(), { mount }).seen.current;
  let warn: ReturnType<typeof vi.spyOn>;
  beforeEach(() => {
    warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  });

  it("opens only what belongs to the plugin and to the web", () => {
    const open = vi.spyOn(window, "open").mockImplementation(() => null);
    const to = navigate();
    to.toPluginPanel("main", { subPath: "a/b" });
    expect(navigation.toPluginPanel).toHaveBeenCalledWith("todo", "main", { subPath: "a/b" });
    expect(to.openUrl("https://example.org/x")).toBe(true);
    expect(open).toHaveBeenCalledExactlyOnceWith("https://example.org/x", "_blank", "noopener,noreferrer");
    for (const address of ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "/threads", "", undefined]) {
      expect(to.openUrl(address as string)).toBe(false);
    }
    expect(open).toHaveBeenCalledOnce();
  });

  it("opens panels of the surface, and says why when it declines", () => {
    const open = vi.fn(() => true);
    const to = navigate(fakeMount({ surface: { projectId: null, threadId: "t", panel: { open } as never } }));
    expect(to.openThreadPanel({ actionId: "a", title: "T", params: { n: 1 } })).toBe(true);
    expect(open).toHaveBeenCalledWith({ pluginId: "todo", actionId: "a", title: "T", params: { n: 1 } });
    expect(to.openThreadPanel({ actionId: "a", params: new Map() as never })).toBe(false);
    expect(navigate().openThreadPanel({ actionId: "a" })).toBe(false);
    expect(warn.mock.calls.map((call: unknown[]) => call[0])).toEqual([
      expect.stringContaining("$params"),
      expect.stringContaining("no right panel"),
    ]);
  });

  it("shows files of machines on their page, and declines those of workspaces where no thread is, and paths that lead nowhere", () => {
    const to = navigate();
    const source = { kind: "host", threadId: null, environmentId: null, projectId: null, experimental_hostId: "host_1" } as const;
    expect(to.experimental_openFilePreview({ target: { path: "/a/b.ts", source }, location: { line: 7 } })).toBe(true);
    expect(to.experimental_openFilePreview({ target: { path: "/b.ts" } })).toBe(true);
    expect(navigation.toFiles.mock.calls).toEqual([
      [{ hostId: "host_1", folder: "/a", file: "b.ts", line: 7 }],
      [{ hostId: undefined, folder: "/", file: "b.ts", line: undefined }],
    ]);
    expect(to.experimental_openFilePreview({ target: { path: "a.ts" } })).toBe(false);
    expect(to.experimental_openFilePreview({ target: { path: "/a.ts", source: { ...source, kind: "workspace" } } })).toBe(false);
    expect(navigation.toFiles).toHaveBeenCalledTimes(2);
  });

  it("shows files of the thread beside it, and none of another thread", () => {
    const open = vi.fn((_options: { params: unknown }) => true);
    const to = navigate(fakeMount({ surface: { projectId: null, threadId: "t", panel: { open, kind: "threadPanelActions" } as never } }));
    const source = { kind: "workspace", threadId: "t", environmentId: "e", projectId: null } as const;
    expect(to.experimental_openFilePreview({ target: { path: "src/a.ts", source }, location: { line: 7 } })).toBe(true);
    expect(
      to.experimental_openFilePreview({ target: { path: "notes.md", source: { ...source, kind: "thread-storage", threadId: null } } }),
    ).toBe(true);
    expect(open.mock.calls.map(([{ params }]) => params)).toEqual([
      { threadId: "t", source: "workspace", path: "src/a.ts", lineNumber: 7 },
      { threadId: "t", source: "thread-storage", path: "notes.md", lineNumber: null },
    ]);
    expect(to.experimental_openFilePreview({ target: { path: "a.ts", source: { ...source, threadId: "other" } } })).toBe(false);
    expect(to.experimental_openFilePreview({ target: { path: "src/", source } })).toBe(false);
  });

  it("opens no programs and no terminals", () => {
    const to = navigate();
    expect(to.experimental_openFileExternally({ target: { path: "/a.ts" } })).toBe(false);
    updateDiagnostics("todo", { state: "active" });
    expect(to.experimental_openTerminal()).toBe(false);
    expect(diagnosticsNow("todo")?.unsupported).toEqual(["useSvcNavigate().experimental_openTerminal"]);
    forgetDiagnostics("todo");
  });
});

describe("sidebar threads", () => {
  it("are ready and empty, and not asked for, where the service has none", async () => {
    fetchMock.mockImplementation(async () => reply(200, { ok: true, records: [] }));
    const { seen } = renderHookInMount(() => kHooks.experimental_useSidebarThreads());
    expect(seen.current.status).toBe("loading");
    await waitFor(() => expect(seen.current).toEqual({ status: "ready", threads: [], projects: [] }));
    expect(requests().map(([, path]) => path)).toEqual(["/api/v1/system/config"]);
  });

  it("are an error when the service fails", async () => {
    fetchMock.mockImplementation(async () => reply(500, { ok: false, error: { code: "internal", message: "no" } }));
    const { seen } = renderHookInMount(() => kHooks.experimental_useSidebarThreads());
    await waitFor(() => expect(seen.current.status).toBe("error"));
  });

  it("are what the service lists, without hidden ones", async () => {
    const activity = {
      activeWorkflowCount: 0,
      activeBackgroundAgentCount: 0,
      activeBackgroundCommandCount: 1,
      activePlanModeCount: 0,
      activeGoalCount: 0,
    };
    const thread = {
      id: "t1",
      projectId: "p1",
      environmentId: "e1",
      status: "active",
      visibility: "visible",
      title: null,
      titleFallback: "New",
      pinnedAt: 5,
      archivedAt: null,
      lastReadAt: 1,
      latestAttentionAt: 2,
      hasPendingInteraction: false,
      activity,
      environmentHostId: "h1",
      environmentName: null,
      environmentBranchName: "b",
      environmentWorkspaceDisplayKind: "other",
    };
    const indicators = [
      [{ hasPendingInteraction: true, status: "error" }, "waiting-for-input"],
      [{ status: "error", activity: { ...activity, activePlanModeCount: 1 } }, "unread-error"],
      [{ activity: { ...activity, activePlanModeCount: 1, activeGoalCount: 1 } }, "plan-mode"],
      [{ activity: { ...activity, activeGoalCount: 1, activeWorkflowCount: 1 } }, "goal"],
      [{ activity: { ...activity, activeWorkflowCount: 1, activeBackgroundAgentCount: 1 } }, "workflow"],
      [{ activity: { ...activity, activeBackgroundAgentCount: 1 } }, "background-agent"],
      [{}, "background-command"],
      [{ activity: { ...activity, activeBackgroundCommandCount: 0 } }, "runtime"],
      [{ activity: { ...activity, activeBackgroundCommandCount: 0 }, status: "idle" }, "unread-success"],
      [{ activity: { ...activity, activeBackgroundCommandCount: 0 }, status: "error", lastReadAt: 3 }, "none"],
    ] as const;
    const answers: Record<string, unknown> = {
      threads: [thread, { ...thread, id: "t2", visibility: "hidden" }, ...indicators.map(([more, id]) => ({ ...thread, ...more, id }))],
      projects: [{ id: "p1", name: "Home", kind: "personal" }],
      hosts: [{ id: "h1", name: "laptop" }],
    };
    fetchMock.mockImplementation(async (target) => {
      const name = new URL(target as URL).pathname.split("/").at(-1)!;
      return reply(200, { ok: true, ...(name === "config" ? { records: Object.keys(answers) } : { [name]: answers[name] }) });
    });
    const { seen } = renderHookInMount(() => kHooks.experimental_useSidebarThreads());
    await waitFor(() => expect(seen.current.threads[0]?.host).toEqual({ id: "h1", name: "laptop" }));
    expect(seen.current.status).toBe("ready");
    expect(seen.current.projects).toEqual([{ id: "p1", name: "Home", isPersonal: true }]);
    expect(seen.current.threads[0]).toMatchObject({
      id: "t1",
      isPinned: true,
      isArchived: false,
      isUnread: true,
      environment: { id: "e1", name: null, branchName: "b", workspaceDisplayKind: "other", workspaceKind: "other" },
      activity: { workflows: 0, backgroundAgents: 0, backgroundCommands: 1, planMode: 0, goals: 0 },
    });
    const others = seen.current.threads.slice(1);
    expect(others.map(({ indicator }) => indicator)).toEqual(indicators.map(([, indicator]) => indicator));
  });

  it("are in no split and have no pull request while the service has no threads", () => {
    const { seen } = renderHookInMount(() => [
      kHooks.experimental_useSidebarThreadSplit("t1"),
      kHooks.experimental_useSidebarThreadPullRequest("t1"),
    ]);
    expect(seen.current).toEqual([
      { splitProps: {}, isAvailable: false, layout: null },
      { isLoading: false, pullRequest: null },
    ]);
  });

  it("open a new thread with the focus in its prompt, and ask before one is deleted", async () => {
    const { seen } = renderHookInMount(() => kHooks.experimental_useSidebarThreadActions());
    seen.current.openNewThread({ focusPrompt: true });
    expect(navigation.toCompose).toHaveBeenCalledWith({ focusPrompt: true });
    await seen.current.requestDelete("t1");
    expect(await screen.findByRole("alertdialog", { name: "Delete this thread?" })).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
  });

  it("are changed by routes; a failure is shown and rejects", async () => {
    fetchMock.mockImplementation(async () => reply(409, { ok: false, error: { code: "conflict", message: "is running" } }));
    const { seen } = renderHookInMount(() => kHooks.experimental_useSidebarThreadActions());
    await expect(seen.current.rename("t 1", "new")).rejects.toThrow("is running");
    await expect(seen.current.setPinned("t1", false)).rejects.toThrow();
    expect(requests()).toEqual([
      ["PATCH", "/api/v1/threads/t%201", { title: "new" }],
      ["POST", "/api/v1/threads/t1/unpin", {}],
    ]);
    const { notificationsNow } = await import("@/lib/notifications");
    expect(notificationsNow()).toMatchObject([
      { kind: "error", title: "The thread could not be unpinned", description: "is running" },
      { kind: "error", title: "The thread could not be renamed" },
    ]);
  });

  it("reject when a thread that is to be deleted is not there, without a question", async () => {
    fetchMock.mockImplementation(async () => reply(404, { ok: false, error: { code: "thread_not_found", message: "no such thread" } }));
    const { seen } = renderHookInMount(() => kHooks.experimental_useSidebarThreadActions());
    await expect(seen.current.requestDelete("t9")).rejects.toThrow("no such thread");
    expect(screen.queryByRole("alertdialog")).toBeNull();
  });
});

describe("small hooks", () => {
  it("give the plugin's id, the code theme and the providers", async () => {
    fetchMock.mockImplementation(async () => unknownRoute());
    setCodeThemes({ light: "vitesse-light" });
    const { seen } = renderHookInMount(() => [kHooks.experimental_usePluginId(), kHooks.useCodeTheme(), kHooks.useProviders()]);
    expect(seen.current).toEqual(["todo", { name: "vitesse-light", mode: "light" }, []]);
    setCodeThemes(undefined);
  });

  it("that are known by name only are empty and listed as unsupported", () => {
    updateDiagnostics("todo", { state: "active" });
    const { seen } = renderHookInMount(() => [
      kHooks.experimental_useBranches(),
      kHooks.useEnvironmentProviders(),
      kHooks.experimental_useQuestionFormHost(),
    ]);
    expect(seen.current).toEqual([{ isLoading: false, data: [] }, { isLoading: false, data: [] }, null]);
    expect(diagnosticsNow("todo")?.unsupported).toEqual([
      "experimental_useBranches",
      "useEnvironmentProviders",
      "experimental_useQuestionFormHost",
    ]);
    forgetDiagnostics("todo");
  });

  it("hand targets to fixed tabs of the surface", () => {
    const openFixed = vi.fn(() => true);
    const fixedTarget = () => ({ sequence: 2, target: { line: 7 } });
    const clearFixedTarget = vi.fn();
    const panel = { openFixed, fixedTarget, clearFixedTarget, subscribe: () => () => undefined } as never;
    const target = fixedTarget();
    const mount = fakeMount({ surface: { projectId: null, threadId: null, panel } });
    (panel as { fixedTarget: unknown }).fixedTarget = () => target;
    const { seen } = renderHookInMount(
      () => [kHooks.experimental_useAppPanel(), kHooks.experimental_useFixedTabTarget({ panelId: "p", id: "i" })] as const,
      { mount },
    );
    expect(seen.current[0].open({ surface: { kind: "current" }, tab: { panelId: "p", id: "i" }, target: 1 })).toBe(true);
    expect(openFixed).toHaveBeenCalledWith({ pluginId: "todo", panelId: "p", id: "i", target: 1 });
    expect(seen.current[1]).toMatchObject({ sequence: 2, target: { line: 7 } });
    seen.current[1].clear();
    expect(clearFixedTarget).toHaveBeenCalledWith("fixed:todo/p/i");
  });
});
