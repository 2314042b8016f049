import { QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter } from "react-router";
import { afterEach, describe, expect, it, vi } from "vitest";

import type { NewThreadComposerProps } from "#sdk/app/components.js";
import type { NewThreadRequest } from "#sdk/app/new_thread_request.js";
import { queryClient } from "@/api/queries";
import NewThreadComposer from "@/composer/new_thread_composer";
import { modesUpTo } from "@/composer/pickers";
import { composersNow } from "@/composer/registry";

import { FakeService } from "../plugins_pages/fake_service";

afterEach(() => {
  cleanup();
  sessionStorage.clear();
  queryClient.clear();
  vi.unstubAllGlobals();
});

const agent = (id: string, displayName: string, unavailableReason: string | null = null) => ({
  id,
  displayName,
  available: unavailableReason === null,
  unavailableReason,
});
const model = (id: string, ...levels: string[]) => ({
  id,
  model: id,
  displayName: id.toUpperCase(),
  isDefault: id === "small",
  defaultReasoningEffort: levels[0],
  supportedReasoningEfforts: levels.map((reasoningEffort) => ({ reasoningEffort, description: "" })),
});
const source = (hostId: string, isDefault: boolean) => ({
  id: `s-${hostId}`,
  projectId: "p1",
  type: "local_path",
  hostId,
  path: "/p",
  isDefault,
});

function service() {
  return new FakeService()
    .on("GET /system/config", () => ({ records: ["threads", "projects", "providers", "environments", "hosts"] }))
    .on("GET /plugins/contributions", () => ({ cliCommands: [], mentionProviders: [] }))
    .on("GET /threads", () => ({ threads: [] }))
    .on("GET /hosts", () => ({
      hosts: [
        { id: "h1", name: "laptop" },
        { id: "h2", name: "tower" },
      ],
    }))
    .on("GET /projects", () => ({
      projects: [{ id: "p1", name: "Website", kind: "standard", sources: [source("h1", true), source("h2", false)] }],
    }))
    .on("GET /projects/p1/default-execution-options", () => ({
      options: { providerId: "two", model: "large", reasoningLevel: "high", permissionMode: "auto", serviceTier: "default" },
    }))
    .on("GET /environments", () => ({
      environments: [
        { id: "e1", name: null, branchName: "fix-door", managed: true, status: "ready", lifecycle: { phase: "active" } },
        { id: "e2", name: null, branchName: "gone", managed: true, status: "ready", lifecycle: { phase: "retiring" } },
      ],
    }))
    .on("GET /providers", () => ({ providers: [agent("one", "One"), agent("two", "Two"), agent("three", "Three", "not signed in")] }))
    .on("GET /providers/models", ({ query }) => ({
      models: query.get("providerId") === "two" ? [model("small", "none"), model("large", "low", "high")] : [model("small", "none")],
      selectedOnlyModels: [],
      permissionCeiling: "auto",
      modelLoadError: null,
    }))
    .install();
}

const onSubmit = vi.fn<(request: NewThreadRequest) => Promise<void>>(async () => undefined);

function show(props: Partial<NewThreadComposerProps> = {}) {
  onSubmit.mockClear();
  const at = (more: Partial<NewThreadComposerProps>) => (
    <QueryClientProvider client={queryClient}>
      <MemoryRouter>
        <NewThreadComposer initialPrompt="Do it" onSubmit={onSubmit} {...more} />
      </MemoryRouter>
    </QueryClientProvider>
  );
  const { rerender } = render(at(props));
  return (more: Partial<NewThreadComposerProps>) => rerender(at(more));
}

const picker = (name: string) => screen.findByRole<HTMLSelectElement>("combobox", { name });
const choose = async (name: string, label: string) => userEvent.selectOptions(await picker(name), label);
const labels = async (name: string) =>
  within(await picker(name))
    .getAllByRole("option")
    .map(({ textContent }) => textContent);
async function sent(): Promise<NewThreadRequest> {
  await userEvent.click(screen.getByRole("button", { name: "Send message" }));
  await vi.waitFor(() => expect(onSubmit).toHaveBeenCalled());
  return onSubmit.mock.calls.at(-1)![0];
}

describe("what a new thread starts with", () => {
  it("is the personal workspace without a project, and the first agent that can be used", async () => {
    service();
    show();
    expect((await picker("Project")).value).toBe("proj_personal");
    expect(screen.queryByRole("combobox", { name: "Where it works" })).toBeNull();
    expect(await labels("Agent")).toEqual(["One", "Two", "Three – not signed in"]);
    expect(await sent()).toMatchObject({
      projectId: "proj_personal",
      providerId: "one",
      environment: { type: "host", workspace: { type: "personal" } },
      executionInputSources: {},
    });
  });

  it("starts a worktree from the branch that is chosen, and forgets it with the place", async () => {
    const asked: string[] = [];
    service().on("GET /projects/p1/branches", ({ query }) => {
      asked.push(query.get("hostId")!);
      return { branches: ["main", "fix"], remoteBranches: ["origin/next"], defaultWorktreeBaseBranch: "main" };
    });
    show();
    await choose("Project", "Website");
    expect(screen.queryByRole("combobox", { name: "Branch it starts from" })).toBeNull();
    await vi.waitFor(async () => expect(await labels("Where it works")).toContain("New worktree on tower"));
    await choose("Where it works", "New worktree on tower");
    expect(await labels("Branch it starts from")).toEqual(["From main (default)", "From fix", "From origin/next"]);
    expect(asked).toEqual(["h2"]);
    await choose("Branch it starts from", "From fix");
    expect((await picker("Where it works")).selectedOptions[0]!.textContent).toBe("New worktree on tower");
    expect((await sent()).environment).toEqual({
      type: "host",
      hostId: "h2",
      workspace: { type: "managed-worktree", baseBranch: { kind: "named", name: "fix" } },
    });
    await choose("Where it works", "In the folder itself");
    expect(screen.queryByRole("combobox", { name: "Branch it starts from" })).toBeNull();
  });

  it("follows the project that is chosen, with its defaults, places and machine's ceiling, in the same composer", async () => {
    service();
    show();
    await picker("Project");
    const [before] = composersNow();
    await choose("Project", "Website");
    expect((await picker("Where it works")).value).toBe("0");
    expect(composersNow()[0]).toBe(before);
    expect(before!.scope).toEqual({ kind: "new-thread", projectId: "p1" });
    await vi.waitFor(async () => expect((await picker("Agent")).value).toBe("two"));
    expect((await picker("Model")).value).toBe("large");
    expect((await picker("Reasoning")).value).toBe("high");
    expect((await picker("Permission mode")).value).toBe("auto");
    expect(await labels("Permission mode")).toEqual(["Asks first", "Edits without asking"]);
    await vi.waitFor(async () =>
      expect(await labels("Where it works")).toEqual([
        "In the folder itself",
        "In the folder on tower",
        "New worktree on laptop",
        "New worktree on tower",
        "With fix-door",
      ]),
    );
    await choose("Where it works", "With fix-door");
    await choose("Reasoning", "Low");
    expect(await sent()).toMatchObject({
      projectId: "p1",
      providerId: "two",
      model: "large",
      reasoningLevel: "low",
      permissionMode: "auto",
      environment: { type: "reuse", environmentId: "e1" },
      executionInputSources: { reasoningLevel: "explicit" },
    });
  });

  it("asks before changes unless another mode is chosen", async () => {
    service();
    show();
    expect((await picker("Permission mode")).value).toBe("auto");
    expect((await sent()).permissionMode).toBe("auto");
  });

  it("names the modes for what they do, the one that asks most first", () => {
    expect(modesUpTo("full").map(({ value, label }) => [value, label])).toEqual([
      ["auto", "Asks first"],
      ["accept-edits", "Edits without asking"],
      ["full", "Never asks"],
    ]);
    expect(modesUpTo("accept-edits").map(({ value }) => value)).toEqual(["accept-edits"]);
  });

  it("is not the model of another agent than the one that is chosen", async () => {
    service();
    show({ defaultProjectId: "p1", defaultProviderId: "two", defaultModel: "large" });
    await vi.waitFor(async () => expect((await picker("Model")).value).toBe("large"));
    await choose("Agent", "One");
    await vi.waitFor(async () => expect((await picker("Model")).value).toBe("small"));
    expect(await sent()).toMatchObject({ providerId: "one", model: "small" });
  });

  it("begins again when a seed becomes another one, not when the owner renders", async () => {
    service();
    const again = show({ defaultProjectId: "p1" });
    await choose("Agent", "One");
    again({ defaultProjectId: "p1", placeholder: "other" });
    expect((await picker("Agent")).value).toBe("one");
    again({ defaultProjectId: "p1", defaultPermissionMode: "accept-edits" });
    await vi.waitFor(async () => expect((await picker("Agent")).value).toBe("two"));
  });
});

describe("seeds that are not there", () => {
  const kSeeds: [string, Partial<NewThreadComposerProps>][] = [
    ["a project", { defaultProjectId: "gone" }],
    ["an agent", { defaultProviderId: "gone" }],
    ["a model", { defaultModel: "gone" }],
    ["a mode", { defaultPermissionMode: "bad" as never }],
    ["a mode of another type", { defaultPermissionMode: 5 as never }],
    ["an environment", { defaultEnvironment: { type: "reuse", environmentId: "gone" } }],
    ["a machine", { defaultEnvironment: { type: "host", hostId: "gone", workspace: { type: "unmanaged", path: "/tmp" } } }],
    ["a place of no kind", { defaultEnvironment: { type: "host", hostId: "h1", workspace: { type: "path" } } as never }],
    ["a worktree of no project", { defaultEnvironment: { type: "host", hostId: "h1", workspace: { type: "managed-worktree" } } }],
  ];
  const kDefaults = {
    projectId: "proj_personal",
    providerId: "one",
    model: "small",
    permissionMode: "auto",
    environment: { type: "host", workspace: { type: "personal" } },
    executionInputSources: {},
  };

  it.each(kSeeds)("are neither shown nor sent: %s", async (_what, seeds) => {
    service();
    show(seeds);
    await vi.waitFor(async () => expect((await picker("Agent")).value).toBe("one"));
    expect((await picker("Project")).value).toBe("proj_personal");
    await vi.waitFor(() => expect(screen.queryByRole("combobox", { name: "Where it works" })).toBeNull());
    expect((await picker("Permission mode")).value).toBe("auto");
    expect(composersNow()[0]!.scope).toEqual({ kind: "new-thread", projectId: null });
    expect(await sent()).toMatchObject(kDefaults);
    expect(onSubmit.mock.calls[0]![0].executionInputSources).toEqual({});
  });

  it.each(kSeeds)("are not sent before the pickers know it: %s", async (_what, seeds) => {
    service();
    show(seeds);
    const request = await sent();
    expect(request).toMatchObject(kDefaults);
    expect(request.executionInputSources).toEqual({});
  });

  it("leave the defaults of the project", async () => {
    service();
    show({
      defaultProjectId: "p1",
      defaultProviderId: "gone",
      defaultModel: "gone",
      defaultReasoningLevel: "lots" as never,
      defaultEnvironment: { type: "reuse", environmentId: "e2" },
    });
    await vi.waitFor(async () => expect((await picker("Model")).value).toBe("large"));
    await vi.waitFor(async () => expect((await picker("Where it works")).value).toBe("0"));
    expect((await picker("Agent")).value).toBe("two");
    const level = (await picker("Reasoning")).value;
    expect(await sent()).toMatchObject({
      projectId: "p1",
      providerId: "two",
      model: "large",
      reasoningLevel: level,
      environment: { type: "project-default" },
    });
  });

  it("are not confused with places that are in no list, which are shown and sent", async () => {
    service();
    show({ defaultEnvironment: { type: "host", hostId: "h2", workspace: { type: "unmanaged", path: "/srv" } } });
    await vi.waitFor(async () => expect(await labels("Where it works")).toEqual(["In an empty folder", "In /srv on tower"]));
    expect((await picker("Where it works")).value).toBe("1");
    expect((await sent()).environment).toEqual({ type: "host", hostId: "h2", workspace: { type: "unmanaged", path: "/srv" } });
    await choose("Where it works", "In an empty folder");
    await vi.waitFor(async () => expect((await picker("Where it works")).value).toBe("0"));
  });

  it("show the level that is nearest to the wanted one, which is sent", async () => {
    service();
    show({ defaultProviderId: "two", defaultModel: "large", defaultReasoningLevel: "max" });
    await vi.waitFor(async () => expect((await picker("Reasoning")).value).toBe("high"));
    expect((await sent()).reasoningLevel).toBe("high");
  });
});

describe("the choice for a new thread", () => {
  it("belongs to the draft: it is there when the page is loaded again, until the thread is started", async () => {
    service();
    show();
    await choose("Project", "Website");
    await vi.waitFor(async () => expect(await labels("Where it works")).toContain("With fix-door"));
    await choose("Where it works", "With fix-door");
    await choose("Permission mode", "Edits without asking");
    cleanup();
    queryClient.clear();
    show();
    await vi.waitFor(async () => expect((await picker("Project")).value).toBe("p1"));
    await vi.waitFor(async () => expect((await picker("Where it works")).selectedOptions[0]!.textContent).toBe("With fix-door"));
    expect(await sent()).toMatchObject({
      projectId: "p1",
      permissionMode: "accept-edits",
      environment: { type: "reuse", environmentId: "e1" },
    });
    await vi.waitFor(() => expect(sessionStorage.getItem("svc.draft-choice.plugin..new-thread")).toBeNull());
    cleanup();
    show();
    expect((await picker("Project")).value).toBe("proj_personal");
  });

  it("is not what is no longer there", async () => {
    sessionStorage.setItem(
      "svc.draft-choice.plugin..new-thread",
      JSON.stringify({
        seeds: JSON.stringify(Array(8).fill(null)),
        choice: { projectId: "gone", environment: { type: "reuse" }, model: 7 },
      }),
    );
    service();
    show();
    expect((await picker("Project")).value).toBe("proj_personal");
    expect(await sent()).toMatchObject({ projectId: "proj_personal", environment: { workspace: { type: "personal" } } });
  });
});
