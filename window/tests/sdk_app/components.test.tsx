import { act, cleanup, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";

import type { NewThreadComposerProps } from "#sdk/app/components.js";
import { queryClient } from "@/api/queries";
import { publishPlugins } from "@/plugins/active";
import { clearCrashes } from "@/plugins/crashes";
import { diagnosticsNow, forgetDiagnostics, updateDiagnostics } from "@/plugins/diagnostics";
import { pluginSdkApp } from "@/sdk_app/index";
import { clearNotifications, notificationsNow } from "@/lib/notifications";

import { activePlugin, kEmptyApp } from "../plugins/fake_plugins";
import { fakeMount, renderInMount, reply, unknownRoute } from "./mounts";

vi.mock("@/plugins/report", () => ({ sendReport: () => undefined }));

const navigate = vi.hoisted(() => vi.fn());
vi.mock("@/lib/navigation", async (original) => {
  const real = await original<{ navigation: object }>();
  return { ...real, navigation: { ...real.navigation, to: navigate, toThread: navigate } };
});

const sdk = pluginSdkApp;
const fetchMock = vi.fn<typeof fetch>();

// What components load when they are first shown is no part of what is waited for.
beforeAll(async () => {
  await Promise.all([import("@/composer/new_thread_composer"), import("@/sdk_app/patch_view"), import("@/sdk_app/highlight")]);
}, 60_000);
beforeEach(() => {
  sessionStorage.clear();
  fetchMock.mockReset();
  fetchMock.mockImplementation(async () => unknownRoute());
  vi.stubGlobal("fetch", fetchMock);
  queryClient.clear();
  clearNotifications();
  updateDiagnostics("todo", { state: "active" });
});
afterEach(() => {
  cleanup();
  publishPlugins([]);
  clearCrashes("todo");
  forgetDiagnostics("todo");
  vi.unstubAllGlobals();
});

describe("UrlLink", () => {
  it("adds a safe rel when a new target opens, and keeps what was given", () => {
    render(
      <sdk.UrlLink href="https://a.example" target="_blank" rel="nofollow">
        x
      </sdk.UrlLink>,
    );
    expect(screen.getByText("x").getAttribute("rel")).toBe("nofollow noopener noreferrer");
  });

  it("follows a path of the window in it, and leaves clicks with modifiers to the browser", async () => {
    render(<sdk.UrlLink href="/settings">x</sdk.UrlLink>);
    await userEvent.keyboard("{Control>}");
    screen.getByText("x").addEventListener("click", (event) => event.preventDefault(), { once: true });
    await userEvent.click(screen.getByText("x"));
    await userEvent.keyboard("{/Control}");
    expect(navigate).not.toHaveBeenCalled();
    await userEvent.click(screen.getByText("x"));
    expect(navigate).toHaveBeenCalledExactlyOnceWith("/settings");
  });

  it("does not link to scripts", () => {
    render(<sdk.UrlLink href=" javascript:alert(1)">x</sdk.UrlLink>);
    expect(screen.getByText("x").getAttribute("href")).toBeNull();
  });
});

describe("experimental_Dialog", () => {
  it("is a dialog whose content says which plugin it belongs to, and closes with Escape", async () => {
    const onOpenChange = vi.fn();
    renderInMount(
      <sdk.experimental_Dialog open onOpenChange={onOpenChange} title="Sure?" description="Think.">
        <p>content</p>
      </sdk.experimental_Dialog>,
    );
    expect(screen.getByRole("dialog", { name: "Sure?" })).toBeTruthy();
    const owner = screen.getByText("content").parentElement!;
    expect(owner.getAttribute("data-svc-plugin")).toBe("todo");
    expect(owner.hasAttribute("data-svc-portaled-overlay")).toBe(true);
    await userEvent.keyboard("{Escape}");
    expect(onOpenChange).toHaveBeenCalledWith(false);
  });
});

describe("SourceCode and Diff", () => {
  const renderer = (kind: "sourceCodeRenderers" | "diffRenderers", component: (props: never) => React.ReactNode) =>
    publishPlugins([activePlugin("todo", { app: { ...kEmptyApp, [kind]: [{ id: "r", title: "R", component }] } as never })]);

  it("number the lines and mark those that are asked for", () => {
    const { container } = render(<sdk.experimental_SourceCode content={"a\nb\nc\n"} path="x.ts" highlightedLines={{ start: 2, end: 3 }} />);
    const lines = [...container.querySelectorAll("[data-line]")];
    expect(lines.map(({ textContent }) => textContent)).toEqual(["1a\n", "2b\n", "3c\n"]);
    expect(lines.map(({ className }) => className.includes("bg-surface-selected"))).toEqual([false, true, true]);
  });

  it("are what a plugin makes of them, with the window's own at hand", () => {
    renderer(
      "sourceCodeRenderers",
      ({
        content,
        path,
        highlightedLines,
        Original,
      }: {
        content: string;
        path: string;
        highlightedLines: null;
        Original: React.ComponentType;
      }) => (
        <section aria-label="mine">
          {path} {content.length} {String(highlightedLines)} <Original />
        </section>
      ),
    );
    render(<sdk.experimental_SourceCode content="abc" path="x.ts" />);
    const mine = screen.getByLabelText("mine");
    expect(mine.textContent).toContain("x.ts 3 null");
    expect(mine.querySelector("pre")?.textContent).toContain("abc");
  });

  it("are the window's own again when the plugin's crashes, with one toast", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    renderer("diffRenderers", () => {
      throw new Error("boom");
    });
    const { container } = render(<sdk.experimental_Diff patch="@@ -1 +1 @@\n-a\n+b" path="x.ts" />);
    expect(container.querySelector("pre, diffs-container")).not.toBeNull();
    await waitFor(() => expect(notificationsNow()).toHaveLength(1));
  });

  it("show a large patch when it is asked for, and ask anew for another one", async () => {
    const of = (lines: number) => `@@ -0,0 +1,${lines} @@\n${Array.from({ length: lines }, (_, at) => `+${at}`).join("\n")}`;
    const { container, rerender } = render(<sdk.experimental_Diff patch={of(3_500)} path="x.lock" />);
    expect(container.textContent).not.toContain("+3000");
    await userEvent.click(screen.getByRole("button", { name: "Show 3,501 lines" }));
    expect(container.querySelector("pre, diffs-container")).not.toBeNull();
    rerender(<sdk.experimental_Diff patch={of(3_600)} path="x.lock" />);
    expect(screen.getByRole("button", { name: "Show 3,601 lines" })).toBeTruthy();
  });

  it("show a patch that is none as text", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { container } = render(<sdk.experimental_Diff patch="this is no patch" />);
    await act(() => import("@/sdk_app/patch_view"));
    expect(container.textContent).toContain("this is no patch");
  });
});

describe("what needs threads", () => {
  it("says that there are none", async () => {
    renderInMount(<sdk.ThreadChat threadId="t1" leadingContent={<p>leading</p>} />);
    expect(screen.getByText("leading")).toBeTruthy();
    expect(await screen.findByText("This thread is not there")).toBeTruthy();
  });

  it("shows the title of a thread, kept current", async () => {
    const thread = {
      id: "t1",
      title: null,
      titleFallback: "New",
      visibility: "visible",
      status: "idle",
      activity: {},
      latestAttentionAt: 0,
      pinnedAt: null,
      archivedAt: null,
      environmentId: null,
    };
    fetchMock.mockImplementation(async (target) => {
      const name = new URL(target as URL).pathname.split("/").at(-1)!;
      return reply(200, { ok: true, ...(name === "config" ? { records: ["threads"] } : { [name]: name === "threads" ? [thread] : [] }) });
    });
    const { container } = renderInMount(<sdk.ThreadTitle threadId="t1" />);
    expect(container.textContent).toBe("t1");
    await waitFor(() => expect(container.textContent).toBe("New"));
  });

  it("hands a new thread to its owner with everything resolved", async () => {
    fetchMock.mockImplementation(async () => reply(200, { ok: true, records: [] }));
    const onSubmit = vi.fn();
    renderInMount(<sdk.experimental_NewThreadComposer projectId="p1" initialPrompt="Do it" onSubmit={onSubmit} />);
    await userEvent.click(await screen.findByRole("button", { name: "Send message" }));
    await waitFor(() => expect(onSubmit).toHaveBeenCalledOnce());
    expect(onSubmit).toHaveBeenCalledWith({
      projectId: "p1",
      providerId: "",
      model: "default",
      reasoningLevel: "none",
      permissionMode: "auto",
      executionInputSources: {},
      environment: { type: "project-default" },
      input: [{ type: "text", text: "Do it" }],
    });
  });

  it("resolves what is asked for against what the service has", async () => {
    const level = (reasoningEffort: string) => ({ reasoningEffort, description: "" });
    const model = (id: string, isDefault: boolean) => ({
      id,
      model: id,
      isDefault,
      defaultReasoningEffort: "low",
      supportedReasoningEfforts: [level("low"), level("high")],
    });
    const answers: Record<string, object> = {
      "/api/v1/system/config": { records: ["projects", "providers", "environments"] },
      "/api/v1/environments": { environments: [{ id: "e", managed: true, status: "ready", lifecycle: { phase: "active" } }] },
      "/api/v1/hosts": { hosts: [] },
      "/api/v1/projects": { projects: [{ id: "p1", name: "P", sources: [] }] },
      "/api/v1/projects/p1/default-execution-options": {
        options: { providerId: "b", model: "b2", reasoningLevel: "high", permissionMode: "auto", serviceTier: "fast" },
      },
      "/api/v1/providers": {
        providers: [
          { id: "a", available: false },
          { id: "c", available: true },
          { id: "b", available: true },
        ],
      },
      "/api/v1/providers/models": { models: [model("b1", true), model("b2", false)], selectedOnlyModels: [] },
    };
    fetchMock.mockImplementation(async (target) => reply(200, { ok: true, ...answers[new URL(target as URL).pathname] }));
    const onSubmit = vi.fn();
    const send = async (props: Partial<NewThreadComposerProps>) => {
      const { unmount } = renderInMount(<sdk.experimental_NewThreadComposer initialPrompt="Do it" onSubmit={onSubmit} {...props} />);
      await userEvent.click(await screen.findByRole("button", { name: "Send message" }));
      await waitFor(() => expect(onSubmit).toHaveBeenCalled());
      const [request] = onSubmit.mock.lastCall!;
      onSubmit.mockClear();
      unmount();
      return request as object;
    };
    const input = [{ type: "text", text: "Do it" }];
    expect(await send({ defaultProjectId: "p1" })).toEqual({
      projectId: "p1",
      providerId: "b",
      model: "b2",
      reasoningLevel: "high",
      permissionMode: "auto",
      serviceTier: "fast",
      executionInputSources: {},
      environment: { type: "project-default" },
      input,
    });
    const environment = { type: "reuse", environmentId: "e" } as const;
    expect(
      await send({
        defaultProjectId: "p1",
        defaultModel: "gone",
        defaultReasoningLevel: "max",
        defaultPermissionMode: "full",
        defaultEnvironment: environment,
      }),
    ).toEqual({
      projectId: "p1",
      providerId: "b",
      model: "b2",
      reasoningLevel: "high",
      permissionMode: "full",
      serviceTier: "fast",
      executionInputSources: { reasoningLevel: "explicit", permissionMode: "explicit" },
      environment,
      input,
    });
    expect(await send({})).toEqual({
      projectId: "proj_personal",
      providerId: "c",
      model: "b1",
      reasoningLevel: "low",
      permissionMode: "auto",
      executionInputSources: {},
      environment: { type: "host", workspace: { type: "personal" } },
      input,
    });
  });

  it("has the focus when it is asked for again, and the words of its owner", async () => {
    const composer = (focusRequest: number) => (
      <sdk.experimental_NewThreadComposer placeholder="Say it" layout="document" focusRequest={focusRequest} onSubmit={() => undefined} />
    );
    const { rerender } = renderInMount(composer(1));
    const field = await screen.findByPlaceholderText("Say it");
    expect(document.activeElement).not.toBe(field);
    rerender(composer(2));
    await waitFor(() => expect(document.activeElement).toBe(field));
  });

  it("has older names for two of the components", () => {
    expect([sdk.experimental_Markdown, sdk.experimental_ThreadChat]).toEqual([sdk.Markdown, sdk.ThreadChat]);
  });

  it("creates a thread and tells its id", async () => {
    fetchMock.mockImplementation(async (target, init) => {
      const { pathname } = new URL(target as URL);
      if (pathname.endsWith("/system/config")) {
        return reply(200, { ok: true, records: [] });
      }
      const isCreate = init?.method === "POST" && pathname.endsWith("/threads");
      return isCreate ? reply(201, { ok: true, thread: { id: "thr_1" } }) : unknownRoute();
    });
    const onCreated = vi.fn();
    renderInMount(<sdk.experimental_NewThreadComposer initialPrompt="Do it" onCreated={onCreated} />);
    await userEvent.click(await screen.findByRole("button", { name: "Send message" }));
    await waitFor(() => expect(onCreated).toHaveBeenCalledWith("thr_1"));
  });

  it("keeps the draft when there is nobody to answer", async () => {
    renderInMount(<sdk.experimental_NewThreadComposer initialPrompt="Do it" />);
    await userEvent.click(await screen.findByRole("button", { name: "Send message" }));
    expect((await screen.findByRole("alert")).textContent).toContain("no agents that could answer");
    expect(screen.getByRole<HTMLTextAreaElement>("textbox").value).toBe("Do it");
  });
});

describe("small components", () => {
  it("say that files cannot be shown", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => undefined);
    renderInMount(<sdk.experimental_FileLink path="a.ts" line={3} />);
    await userEvent.click(screen.getByRole("button", { name: "a.ts:3" }));
    expect(notificationsNow()).toMatchObject([{ kind: "info", description: "a.ts:3" }]);
  });

  it("show the first plugin's icon of a provider and warn the other", () => {
    const plugin = (id: string) =>
      activePlugin(id, { app: { ...kEmptyApp, providerIcons: [{ providerId: "claude", icon: () => <i>{id}</i> }] } as never });
    updateDiagnostics("b", { state: "active" });
    publishPlugins([plugin("b"), plugin("a")]);
    const { container } = render(<sdk.experimental_ProviderIcon providerId="claude" />);
    expect(container.textContent).toBe("a");
    expect(diagnosticsNow("b")?.warnings).toEqual([expect.stringContaining("that of a")]);
    forgetDiagnostics("b");
  });

  it("that are known by name only render nothing and are listed", () => {
    const { container } = renderInMount(<sdk.experimental_BranchPicker anything={1} />, { mount: fakeMount() });
    expect(container.innerHTML).toBe("");
    expect(diagnosticsNow("todo")?.unsupported).toEqual(["experimental_BranchPicker"]);
  });
});
