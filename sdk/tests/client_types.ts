// Compiled, never run: what the methods of `svc.sdk` take and return.
import type {
  ActiveTheme,
  Environment,
  EnvironmentIntent,
  Goal,
  Host,
  InputBlock,
  Interaction,
  Marketplace,
  MarketplaceRefresh,
  Mention,
  Model,
  PluginInstallPlan,
  PluginSdk,
  PluginSourceDetail,
  ProjectSource,
  Provider,
  ProviderUsage,
  QueuedMessage,
  SdkConnectionNotice,
  SdkNotice,
  Skill,
  Terminal,
  Thread,
  ThreadActivity,
  ThreadEvent,
  TimelineRow,
} from "@get-svc/plugin-sdk";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function expectType<_T extends true>(): void {}
type Result<Method extends (...given: never[]) => unknown> = Awaited<ReturnType<Method>>;
type Has<Value, Members> = Value extends Members ? true : false;

type Threads = PluginSdk["threads"];
type Whole<Members> = { ok: true } & Members;

// One record or one list comes alone, everything else as the whole answer.
expectType<Has<Result<Threads["stop"]>, Whole<{ thread: Thread }>>>();
expectType<Has<Result<Threads["unarchive"]>, Whole<{ thread: Thread }>>>();
expectType<Has<Result<Threads["archive"]>, Whole<{ archivedThreadIds: string[] }>>>();
expectType<Has<Result<Threads["archiveAll"]>, Whole<{ archivedThreadIds: string[] }>>>();
expectType<Equal<Result<Threads["pin"]>, Thread>>();
expectType<Equal<Result<Threads["reorderPinned"]>, Thread[]>>();
expectType<Equal<Result<Threads["events"]["list"]>, ThreadEvent[]>>();
expectType<Equal<Result<Threads["interactions"]["resolve"]>, Interaction>>();
expectType<Equal<Result<Threads["queuedMessages"]["reorder"]>, QueuedMessage[]>>();
expectType<Equal<Result<Threads["queuedMessages"]["setGroupBoundary"]>, QueuedMessage[]>>();
expectType<Equal<Result<Threads["promptHistory"]>[number]["input"], InputBlock[]>>();
expectType<Equal<Result<Threads["search"]>["archived"]["results"][number]["thread"], Thread>>();
expectType<Equal<Result<Threads["timelineTurnSummaryDetails"]>["rows"], TimelineRow[]>>();
expectType<Has<Result<PluginSdk["plugins"]["token"]>, Whole<{ token: string }>>>();
expectType<Equal<Result<PluginSdk["plugins"]["getSource"]>, PluginSourceDetail>>();
expectType<Equal<PluginSourceDetail["engines"], { svc: string | null; svcPluginSdk: string | null }>>();
expectType<Equal<Result<PluginSdk["plugins"]["marketplaces"]["add"]>, Marketplace>>();
expectType<Equal<MarketplaceRefresh["marketplace"], Marketplace | null>>();
expectType<Equal<Result<PluginSdk["plugins"]["marketplaces"]["refresh"]>, MarketplaceRefresh[]>>();
expectType<Equal<Result<PluginSdk["plugins"]["catalog"]["installPlan"]>, PluginInstallPlan>>();
expectType<Has<Result<PluginSdk["terminals"]["list"]>, Whole<{ sessions: Terminal[] }>>>();
expectType<Equal<Result<PluginSdk["terminals"]["input"]>, Terminal>>();
expectType<Has<Result<PluginSdk["skills"]["list"]>, Whole<{ skills: Skill[] }>>>();
expectType<Equal<Result<PluginSdk["system"]["usageLimits"]>["claudeCode"], ProviderUsage>>();
expectType<Has<Result<PluginSdk["system"]["attention"]>, Whole<{ hasAttention: boolean }>>>();
expectType<Equal<Result<PluginSdk["projects"]["sources"]["add"]>, ProjectSource>>();
expectType<Has<Result<PluginSdk["threadSections"]["delete"]>, Whole<{ id: string; updatedThreadCount: number }>>>();
expectType<Equal<Result<PluginSdk["hosts"]["directory"]>["entries"][number]["kind"], "file" | "directory">>();

// Records.
expectType<Equal<Thread["childOrigin"], Thread["originKind"]>>();
expectType<Equal<Thread["latestAttentionAt"], number>>();
expectType<Equal<Thread["activity"], ThreadActivity>>();
expectType<Equal<Goal["status"], "active" | "paused" | "budgetLimited" | "complete">>();
expectType<Equal<Model["description"], string>>();
expectType<Equal<Environment["name"], string | null>>();
expectType<Equal<Terminal["status"], "starting" | "running" | "exited" | "disconnected">>();
expectType<Equal<Extract<ProviderUsage, { status: "ok" }>["windows"][number]["resetsAt"], string | null>>();
expectType<Equal<Provider["capabilities"]["supportsArchive"], boolean>>();

export const mention: Mention = { start: 0, end: 4, resource: { kind: "plugin", pluginId: "todo", itemId: "items:1", label: "milk" } };
export const blocks: InputBlock[] = [
  { type: "text", text: "@milk", mentions: [mention], visibility: "agent-only" },
  { type: "localFile", path: "/a" },
];
export const intents: EnvironmentIntent[] = [
  { type: "host", workspace: { type: "personal" } },
  { type: "host", hostId: "host_1", workspace: { type: "unmanaged", path: null, branch: { kind: "new", baseBranch: "main" } } },
  { type: "host", workspace: { type: "managed-worktree", baseBranch: { kind: "default" } } },
  { type: "host", workspace: { type: "managed-worktree", baseBranch: "main" } },
];

export async function calls(sdk: PluginSdk): Promise<void> {
  const both = await sdk.threads.get({ threadId: "t", include: "environment,host" });
  expectType<Equal<typeof both.environment, Environment | null>>();
  expectType<Equal<typeof both.host, Host | null>>();
  const plain = await sdk.threads.get({ threadId: "t" });
  // @ts-expect-error it was not asked for
  plain.environment;
  expectType<Equal<Result<typeof sdk.theme.set>, ActiveTheme>>();
  await sdk.theme.set("nord");
  await sdk.theme.set({ themeId: "nord", faviconColor: "teal" });
  await sdk.plugins.checkUpdates({ pluginId: "todo" });
  await sdk.plugins.marketplaces.refresh();
  await sdk.files.createPreview({ rootPath: "/a" });
  await sdk.threads.fork({ sourceThreadId: "t", workspace: "isolated" });
  await sdk.threads.send({ threadId: "t", mode: "auto", input: blocks, permissionMode: "workspace-write" });
  await sdk.threads.interactions.resolve({ threadId: "t", interactionId: "i", decision: "deny" });
  await sdk.threads.interactions.resolve({ threadId: "t", interactionId: "i", resolution: { decision: "deny" } });
  await sdk.threadSections.update({ id: "sec", name: "Later" });
  await sdk.environments.diffPatch({ environmentId: "e", paths: [], target: { type: "commit", sha: "abc" } });
  const { project, childThreads } = await sdk.status.get({ threadId: "t" });
  console.log(project?.name, childThreads?.length);
  sdk.subscribe({
    event: "thread:changed",
    threadId: "t",
    callback: (notice) => {
      expectType<Equal<typeof notice, SdkNotice>>();
      console.log(notice.type, notice.entity, notice.id);
    },
  });
  sdk.subscribe({
    event: "realtime:connection",
    callback: (notice) => {
      expectType<Equal<typeof notice, SdkConnectionNotice>>();
    },
  });
  sdk.subscribe({ event: "host:changed", selector: { hostId: "h" }, callback: ({ changes }) => console.log(changes) });
  for (const row of (await sdk.threads.timeline({ threadId: "t", afterSequence: 5 })).rows) {
    if (row.kind === "conversation" && row.role === "user") {
      expectType<Equal<typeof row.mentions, Mention[]>>();
    }
    if (row.kind === "work" && row.workKind === "file-change") {
      console.log(row.status, row.change.diffStats.added);
    }
  }
}
