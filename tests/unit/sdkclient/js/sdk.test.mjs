import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { outcomeOf } from "../../../support/js/part_harness.mjs";
import { failing, load } from "./sdk_service.mjs";

const kAreas = {
  threads:
    "get list spawn send retry stop archive output timeline defaultExecutionOptions update delete unarchive archiveAll fork search editMessage wait open pin unpin reorderPinned markRead markUnread promptHistory conversationOutline getPluginMetadata updatePluginMetadata compact childSummary resolveMentions storageFiles storageLocation storagePaths rateLimitRecovery continueAfterRateLimit cancelPlan clearGoal paneAction timelineTurnSummaryDetails experimental_listAncestors experimental_listDescendants",
  "threads.events": "list wait",
  "threads.interactions": "list get resolve respond cancel",
  "threads.queuedMessages": "create list update delete send reorder setGroupBoundary",
  "threads.tabs": "get update",
  threadSections: "list create update delete",
  projects:
    "list get create update delete reorder paths files fileContent branches commands defaultExecutionOptions promptHistory sidebarBootstrap",
  "projects.sources": "add update delete",
  "projects.attachments": "upload read copy",
  environments:
    "get list listProviders update delete status paths diff diffFile diffFiles diffPatch diffBranches commit pullRequest archiveThreads squashMerge markPullRequestDraft markPullRequestReady mergePullRequest",
  hosts:
    "list directory get update delete createJoinCode create listProviders pathsExist cloneDefaultPath pickFolder suspend resume retryCleanup retryUpdate providerCliStatus installProviderCli",
  providers: "list models",
  terminals: "create get output close list input resize rename restart",
  files: "read write list listPaths mkdir move remove createPreview",
  skills: "list listFiles getContent update remove",
  plugins:
    "callRpc updateSettings list install remove enable disable reload token getSource getSettings checkUpdates listUpdateResults applyUpdate",
  "plugins.catalog": "search status installPlan install",
  "plugins.marketplaces": "add list refresh remove",
  system:
    "config usageLimits version reloadConfig attention executionOptions providerStates transcribeVoice updateGeneralSettings updateExperiments updateKeyboardSettings uiPreferences cliSkillsStatus installCliSkills onboardingAgents onboardingRepos onboardingEvent",
  theme: "get catalog set",
  status: "get",
  guide: "render",
};

describe("svc.sdk", () => {
  for (const [area, names] of Object.entries(kAreas)) {
    it(`has every method of ${area}`, () => {
      const { sdk } = load();
      const target = area.split(".").reduce((value, key) => value[key], sdk);
      assert.deepEqual(
        names.split(" ").filter((name) => typeof target[name] !== "function"),
        [],
      );
    });
  }

  const requests = [
    [
      "a member in the path and the rest in the query",
      (sdk) => sdk.threads.get({ threadId: "thr/1", include: "environment" }),
      "GET /api/v1/threads/thr%2F1?include=environment",
      "",
    ],
    ["nothing", (sdk) => sdk.plugins.list(), "GET /api/v1/plugins", ""],
    [
      "booleans, numbers, lists and objects in the query",
      (sdk) => sdk.threads.list({ archived: false, limit: 6, types: ["a", "b"], before: { anchorSeq: 1 }, offset: undefined }),
      "GET /api/v1/threads?archived=false&limit=6&types=a&types=b&before=%7B%22anchorSeq%22%3A1%7D",
      "",
    ],
    [
      "the rest in the body",
      (sdk) => sdk.terminals.resize({ terminalId: "t", cols: 80, rows: 24 }),
      "POST /api/v1/terminals/t/resize",
      '{"cols":80,"rows":24}',
    ],
    [
      "the text form of numbers and booleans in the body",
      (sdk) => sdk.files.listPaths({ path: "/a", limit: "2", includeFiles: "true", includeDirectories: "false", query: "3" }),
      "POST /api/v1/files/list-paths",
      '{"path":"/a","limit":2,"includeFiles":true,"includeDirectories":false,"query":"3"}',
    ],
    [
      "text that is none of these as it is",
      (sdk) => sdk.terminals.resize({ terminalId: "t", cols: "80", rows: "many" }),
      "POST /api/v1/terminals/t/resize",
      '{"cols":80,"rows":"many"}',
    ],
    [
      "the text form of a boolean alone",
      (sdk) => sdk.plugins.token({ rotate: "false" }),
      "POST /api/v1/plugins/todo/token",
      '{"rotate":false}',
    ],
    ["no body when nothing is left", (sdk) => sdk.plugins.enable({ pluginId: "a" }), "POST /api/v1/plugins/a/enable", ""],
    ["a renamed query parameter", (sdk) => sdk.plugins.reload({ pluginId: "a b" }), "POST /api/v1/plugins/reload?id=a%20b", ""],
    ["no parameter for every plugin", (sdk) => sdk.plugins.reload(), "POST /api/v1/plugins/reload", ""],
    [
      "the caller's own plugin as the default",
      (sdk) => sdk.plugins.updateSettings({ values: { a: null } }),
      "PUT /api/v1/plugins/todo/settings",
      '{"values":{"a":null}}',
    ],
    ["another plugin when named", (sdk) => sdk.plugins.getSettings({ pluginId: "other" }), "GET /api/v1/plugins/other/settings", ""],
    ["a purge", (sdk) => sdk.plugins.remove({ pluginId: "a", purge: true }), "DELETE /api/v1/plugins/a?purge=true", ""],
    [
      "a theme",
      (sdk) => sdk.theme.set({ themeId: "plugin:a:b", faviconColor: null }),
      "PUT /api/v1/theme",
      '{"themeId":"plugin:a:b","faviconColor":null}',
    ],
    ["a theme by its id alone", (sdk) => sdk.theme.set("nord"), "PUT /api/v1/theme", '{"themeId":"nord"}'],
    ["a path outside of the API", (sdk) => sdk.status.get(), "GET /readyz", ""],
    ["a member of the route that may be left out", (sdk) => sdk.plugins.marketplaces.refresh(), "POST /api/v1/marketplaces/refresh", ""],
    [
      "the same member when it is there",
      (sdk) => sdk.plugins.marketplaces.refresh({ name: "a b" }),
      "POST /api/v1/marketplaces/a%20b/refresh",
      "",
    ],
    [
      "a renamed member of the body",
      (sdk) => sdk.plugins.checkUpdates({ pluginId: "a" }),
      "POST /api/v1/plugins/updates/check",
      '{"id":"a"}',
    ],
    [
      "the member itself",
      (sdk) => sdk.plugins.checkUpdates({ id: "b", pluginId: "a" }),
      "POST /api/v1/plugins/updates/check",
      '{"id":"b"}',
    ],
    [
      "an object as parameters",
      (sdk) => sdk.terminals.list({ scope: { kind: "host_path", hostId: "h", cwd: null } }),
      "GET /api/v1/terminals?kind=host_path&hostId=h",
      "",
    ],
    [
      "parameters as they are",
      (sdk) => sdk.terminals.list({ kind: "thread", threadId: "t" }),
      "GET /api/v1/terminals?kind=thread&threadId=t",
      "",
    ],
    ["a fork", (sdk) => sdk.threads.fork({ sourceThreadId: "t" }), "POST /api/v1/threads/fork", '{"sourceThreadId":"t"}'],
    ["an archive with descendants", (sdk) => sdk.threads.archiveAll({ threadId: "t" }), "POST /api/v1/threads/t/archive-all", ""],
    [
      "mentions",
      (sdk) => sdk.threads.resolveMentions({ threadIds: ["t"] }),
      "POST /api/v1/threads/resolve-mentions",
      '{"threadIds":["t"]}',
    ],
    [
      "a turn of a timeline",
      (sdk) => sdk.threads.timelineTurnSummaryDetails({ threadId: "t", turnId: "u", sourceSeqStart: 1, sourceSeqEnd: 2 }),
      "GET /api/v1/threads/t/timeline/turns/u?sourceSeqStart=1&sourceSeqEnd=2",
      "",
    ],
    [
      "a place in the queue",
      (sdk) =>
        sdk.threads.queuedMessages.reorder({
          threadId: "t",
          queuedMessageId: "q",
          previousQueuedMessageId: null,
          nextQueuedMessageId: "r",
        }),
      "POST /api/v1/threads/t/queued-messages/q/reorder",
      '{"previousQueuedMessageId":null,"nextQueuedMessageId":"r"}',
    ],
    [
      "a group of the queue",
      (sdk) => sdk.threads.queuedMessages.setGroupBoundary({ threadId: "t", groupBoundaryQueuedMessageId: "q" }),
      "POST /api/v1/threads/t/queued-messages/group-boundary",
      '{"groupBoundaryQueuedMessageId":"q"}',
    ],
    [
      "a section by its id",
      (sdk) => sdk.threadSections.update({ id: "sec", name: "Later" }),
      "PATCH /api/v1/thread-sections/sec",
      '{"name":"Later"}',
    ],
    [
      "patches of paths",
      (sdk) => sdk.environments.diffPatch({ environmentId: "e", paths: ["a"], target: { type: "uncommitted" } }),
      "POST /api/v1/environments/e/diff-patch",
      '{"paths":["a"],"target":{"type":"uncommitted"}}',
    ],
    [
      "attachments of another project",
      (sdk) => sdk.projects.attachments.copy({ projectId: "p", sourceProjectId: "o", paths: ["a"] }),
      "POST /api/v1/projects/p/attachments/copy",
      '{"sourceProjectId":"o","paths":["a"]}',
    ],
    [
      "commands of a provider",
      (sdk) => sdk.projects.commands({ projectId: "p", provider: "x" }),
      "GET /api/v1/projects/p/commands?provider=x",
      "",
    ],
    [
      "one file of a skill",
      (sdk) => sdk.skills.getContent({ projectId: "p", skillId: "svc-user:a", path: "b c.md" }),
      "GET /api/v1/skills/content?projectId=p&skillId=svc-user%3Aa&path=b%20c.md",
      "",
    ],
    [
      "an edited skill",
      (sdk) => sdk.skills.update({ projectId: "p", environmentId: null, skillId: "svc-user:a", content: "x", revision: "r" }),
      "PUT /api/v1/skills",
      '{"projectId":"p","environmentId":null,"skillId":"svc-user:a","content":"x","revision":"r"}',
    ],
    [
      "the removal of a skill",
      (sdk) => sdk.skills.remove({ projectId: "p", skillId: "svc-user:a" }),
      "DELETE /api/v1/skills",
      '{"projectId":"p","skillId":"svc-user:a"}',
    ],
    ["a join code", (sdk) => sdk.hosts.createJoinCode(), "POST /api/v1/hosts/join-codes", ""],
    [
      "a preview without its time",
      (sdk) => sdk.files.createPreview({ rootPath: "/a" }),
      "POST /api/v1/files/create-preview",
      '{"rootPath":"/a"}',
    ],
  ];
  for (const [what, call, line, body] of requests) {
    it(`sends ${what}`, async () => {
      const { sdk, requests: sent } = load();
      await call(sdk);
      assert.deepEqual(
        sent.map((request) => [`${request.verb} ${request.target}`, request.body]),
        [[line, body]],
      );
    });
  }

  it("returns the named member, or the whole answer", async () => {
    const { sdk } = load(() => ({ status: 200, body: { ok: true, thread: { id: "thr_1" }, more: 1 } }));
    assert.deepEqual(await sdk.threads.get({ threadId: "thr_1" }), { id: "thr_1" });
    assert.deepEqual(await sdk.threads.output({ threadId: "thr_1" }), { ok: true, thread: { id: "thr_1" }, more: 1 });
  });

  const t = { threadId: "t" };
  const q = { ...t, queuedMessageId: "q" };
  const kMembers = {
    thread: [
      ["threads.pin", t],
      ["threads.fork", { sourceThreadId: "t" }],
    ],
    threads: [
      ["threads.resolveMentions", { threadIds: [] }],
      ["threads.reorderPinned", t],
    ],
    entries: [
      ["threads.promptHistory", t],
      ["projects.promptHistory", { projectId: "p" }],
    ],
    projects: [["projects.reorder", { projectId: "p" }]],
    queuedMessages: [
      ["threads.queuedMessages.reorder", q],
      ["threads.queuedMessages.setGroupBoundary", t],
    ],
    terminal: [["terminals.input", { terminalId: "t", dataBase64: "" }]],
    limits: [["system.usageLimits", undefined]],
    states: [["system.providerStates", undefined]],
    marketplace: [["plugins.marketplaces.add", { source: "https://a" }]],
    marketplaces: [["plugins.marketplaces.list", undefined]],
    results: [
      ["plugins.marketplaces.refresh", undefined],
      ["plugins.checkUpdates", undefined],
    ],
    plan: [["plugins.catalog.installPlan", { entryId: "a" }]],
    // The whole answer.
    ok: [
      ["threads.stop", t],
      ["threads.archive", t],
      ["threads.unarchive", t],
      ["threads.search", { query: "a" }],
      ["threads.queuedMessages.send", q],
      ["plugins.token", undefined],
      ["plugins.list", undefined],
      ["plugins.marketplaces.remove", { name: "a" }],
      ["skills.list", { projectId: "p" }],
      ["terminals.list", undefined],
      ["threadSections.update", { id: "s", name: "n" }],
      ["threadSections.delete", { id: "s" }],
      ["theme.catalog", undefined],
    ],
  };
  for (const [member, calls] of Object.entries(kMembers)) {
    for (const [path, argument] of calls) {
      it(`returns ${member === "ok" ? "the whole answer" : member} of ${path}`, async () => {
        const body = { ok: true, [member]: member === "ok" ? true : ["what was asked for"], other: 1 };
        const { sdk } = load(() => ({ status: 200, body }));
        const value = await path.split(".").reduce((at, name) => at[name], sdk)(argument);
        assert.deepEqual(value, member === "ok" ? body : body[member]);
      });
    }
  }

  it("puts the status together with the records it is asked about", async () => {
    const answers = {
      "/readyz": { modules: [{ name: "http" }], plugins: [] },
      "/api/v1/threads/t": { ok: true, thread: { id: "t", projectId: "p" } },
      "/api/v1/threads": { ok: true, threads: [{ id: "child" }] },
      "/api/v1/threads/t/timeline": { ok: true, rows: [], pendingTodos: { items: [] } },
      "/api/v1/projects/p": { ok: true, project: { id: "p" } },
    };
    const { sdk } = load(({ target }) => ({ status: 200, body: answers[target.split("?")[0]] }));
    const readiness = { modules: [{ name: "http" }], plugins: [] };
    assert.deepEqual(await sdk.status.get(), {
      ok: true,
      project: null,
      thread: null,
      childThreads: null,
      pendingTodos: null,
      ...readiness,
    });
    assert.deepEqual(await sdk.status.get({ threadId: "t" }), {
      ok: true,
      project: { id: "p" },
      thread: { id: "t", projectId: "p" },
      childThreads: [{ id: "child" }],
      pendingTodos: { items: [] },
      ...readiness,
    });
    const missing = load(({ target }) =>
      target === "/readyz" ? { status: 200, body: readiness } : failing(404, { code: "unknown_route", message: "none" })(),
    );
    const { error } = await outcomeOf(() => missing.sdk.status.get({ projectId: "p" }));
    assert.equal(error.code, "not_supported");
  });

  const refused = [
    ["no argument", (sdk) => sdk.threads.get(), "sdk.threads.get: needs one object { threadId }, got undefined"],
    ["an argument that is no object", (sdk) => sdk.plugins.list("x"), "sdk.plugins.list: needs one object, got a string"],
    ["a missing member", (sdk) => sdk.threads.send({ threadId: "t", input: [] }), 'sdk.threads.send: "mode" is missing'],
    ["an id that is no text", (sdk) => sdk.threads.get({ threadId: 5 }), 'sdk.threads.get: "threadId" must be non-empty text, is a number'],
    ["a signal that is none", (sdk) => sdk.plugins.list({ signal: {} }), "sdk.plugins.list: signal must be an AbortSignal, is an object"],
    [
      "a body that is not JSON",
      (sdk) => sdk.threads.spawn({ projectId: "p", prompt: 1n }),
      "sdk.threads.spawn: the argument is not JSON: value.prompt is a bigint",
    ],
    [
      "two ways to wait",
      (sdk) => sdk.threads.wait({ threadId: "t", status: "idle", event: "x" }),
      'sdk.threads.wait: needs exactly one of "status" and "event"',
    ],
    [
      "a status that threads do not have",
      (sdk) => sdk.threads.wait({ threadId: "t", status: "foo" }),
      'sdk.threads.wait: status must be one of pending, idle, starting, active, stopping, error, is "foo"',
    ],
  ];
  for (const [what, call, message] of refused) {
    it(`rejects ${what} without a request`, async () => {
      const { sdk, requests: sent } = load();
      const { error } = await outcomeOf(() => call(sdk));
      assert.equal(error.name, "TypeError");
      assert.equal(error.message, message);
      assert.deepEqual(sent, []);
    });
  }
});
