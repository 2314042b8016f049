/** What the service asks a plugin on behalf of agents and threads: tools, configuration, mentions, events, hooks. */
import { kEvents, kNeverSent } from "../../modules/agents/js/events";
import type { AgentContext, AgentToolPart } from "../src/agents";
import type { ProviderCapabilities } from "../src/records";
import type { DispatchContext, DispatchDecision } from "../src/events";
import type { DeepPartial, FakeAgentConfiguration, FakeMentionGroup, FakeToolProgress, FakeToolResult } from "../src/testing/behavior";
import type { RegisteredAgentTool } from "../src/testing/inspection";
import { dispatchContext } from "./dispatch";
import type { Generation } from "./generation";
import { failure } from "./runtime";

export interface ToolContext {
  threadId?: string | null;
  projectId?: string | null;
  signal?: AbortSignal;
  tools?: readonly RegisteredAgentTool[];
  onProgress?(report: FakeToolProgress): void;
}

export async function callTool(
  load: Generation,
  name: string,
  params: unknown,
  { threadId = null, projectId = null, signal, tools, onProgress }: ToolContext,
): Promise<FakeToolResult> {
  const registered = (load.registration<RegisteredAgentTool[]>("agent-tools") ?? []).find((tool) => tool.name === name);
  const offered = tools === undefined ? registered : tools.find((tool) => tool.name === name);
  if (registered === undefined || offered === undefined) {
    return textResult(`Unknown tool ${name}`);
  }
  const isNarrowed = JSON.stringify(offered.inputSchema) !== JSON.stringify(registered.inputSchema);
  const call = onProgress && load.listen(onProgress);
  // Forms belong to the call whose signal they come with.
  const meta = JSON.stringify({ name, threadId, projectId, call, form: name, ...(isNarrowed && { overrides: [offered.inputSchema] }) });
  try {
    const body = params === undefined ? "" : JSON.stringify(params);
    const answer = await load.invoke(`tool:${name}`, "agents.callTool", meta, body, signal);
    if (answer.startsWith("1")) {
      load.log("warn", `tool ${name} answered with an error`);
    }
    return { isError: answer.startsWith("1"), content: JSON.parse(answer.slice(2)) as AgentToolPart[] };
  } catch (error) {
    const { code, message } = error as Error & { code?: unknown };
    if (code === "invalid_input") {
      load.log("warn", `tool ${name}: ${message}`);
    }
    return textResult(message);
  } finally {
    load.unlisten(call);
  }
}

function textResult(text: string): FakeToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

/** As the service selects for a thread: without `configure` everything, after a failure of it nothing. */
export async function resolveConfiguration(
  load: Generation,
  skills: readonly string[],
  context: DeepPartial<AgentContext>,
): Promise<FakeAgentConfiguration> {
  const given = agentContext(context);
  const registered = load.registration<{ configure: boolean; instructions: boolean }>("agent-config");
  const tools = load.registration<RegisteredAgentTool[]>("agent-tools") ?? [];
  const found: FakeAgentConfiguration = {
    tools: structuredClone(tools),
    skills: [...skills],
    instructions: null,
    contributedInstructions: null,
  };
  if (registered?.configure === true) {
    try {
      const answer = await load.invoke("agents.configure", "agents.configure", "", JSON.stringify(given));
      Object.assign(found, choose(JSON.parse(answer) as Chosen, found));
    } catch (error) {
      const { code, message } = error as Error & { code?: unknown };
      load.log("error", `agents.configure: no tools and no skills this time${code === "handler_error" ? "" : `: ${message}`}`);
      Object.assign(found, { tools: [], skills: [] });
    }
  }
  if (registered?.instructions === true) {
    const body = JSON.stringify({ threadId: given.thread.id, projectId: given.project.id });
    const member = "agents.contributeInstructions";
    const text = await load.invoke(member, member, "", body).catch(() => "null");
    found.contributedInstructions = JSON.parse(text) as string | null;
  }
  return found;
}

interface Chosen {
  tools: { name: string; inputSchema?: RegisteredAgentTool["inputSchema"] }[];
  skills: string[];
  instructions: string | null;
}

function choose(chosen: Chosen, own: FakeAgentConfiguration): Partial<FakeAgentConfiguration> {
  const tools = chosen.tools.map(({ name, inputSchema }) => {
    const tool = own.tools.find((each) => each.name === name);
    if (tool === undefined) {
      throw new Error("it chose a tool that is not on offer from this plugin");
    }
    return inputSchema === undefined ? tool : { ...tool, inputSchema };
  });
  const stranger = chosen.skills.find((skill) => !own.skills.includes(skill));
  if (stranger !== undefined) {
    throw new Error(`this plugin has no skill "${stranger}"`);
  }
  return { tools, skills: chosen.skills, instructions: chosen.instructions };
}

const kCapabilities: ProviderCapabilities = {
  supportsServiceTier: false,
  supportsNativeUserQuestion: false,
  fork: "none",
  supportsFork: false,
  supportsSessionRewind: false,
  supportsManualCompaction: false,
  supportsThreadArchive: false,
  supportsThreadRename: false,
  permissionModes: ["accept-edits"],
  reasoningLevels: [],
  supportsArchive: false,
  supportsRename: false,
  supportsUserQuestion: false,
  supportedPermissionModes: ["accept-edits"],
};

function agentContext(given: DeepPartial<AgentContext>): AgentContext {
  const defaults: AgentContext = {
    thread: { id: "thr_test", title: null, parentThreadId: null, sourceThreadId: null },
    project: { id: "proj_test", kind: "standard", name: "Test", gitRemoteUrl: null },
    environment: { id: "env_test", name: null, path: null, workspaceProvisionType: "unmanaged", branchName: null },
    host: { id: "host_test", name: "Test" },
    provider: { id: "test", model: "", capabilities: kCapabilities },
    origin: { kind: null, pluginId: null },
    pluginMetadata: {},
  };
  const members = Object.entries(defaults).map(([name, value]) => {
    const replaced = (given as Record<string, unknown>)[name];
    return [name, typeof replaced === "object" && replaced !== null ? { ...value, ...replaced } : (replaced ?? value)];
  });
  return Object.fromEntries(members) as AgentContext;
}

interface MentionQuery {
  trigger?: string;
  providerId?: string;
  projectId?: string;
  threadId?: string;
}

export function searchMentions(load: Generation, query: string, options: MentionQuery): Promise<FakeMentionGroup[]> {
  const { trigger = "@", providerId, projectId = null, threadId = null } = options;
  const providers = load.registration<{ id: string; label: string; triggers: string[] }[]>("mention-providers") ?? [];
  const asked = providers.filter(({ id, triggers }) => triggers.includes(trigger) && (providerId === undefined || id === providerId));
  const body = JSON.stringify({ trigger, query, projectId, threadId });
  return Promise.all(
    (query === "" ? [] : asked).map(async ({ id, label }) => {
      const items = await load.invoke(`mention:${id}`, "mentions.search", id, body).catch(() => "[]");
      return { providerId: id, label, items: JSON.parse(items) as FakeMentionGroup["items"] };
    }),
  );
}

/** Rejects with the failure of a handler, with all of them when there are several. */
export async function emitEvent(load: Generation, name: string, payload: unknown): Promise<void> {
  if (!kEvents.has(name) && name !== kNeverSent) {
    throw new TypeError(`emitThreadEvent: unknown event "${name}"; events are ${[...kEvents].join(", ")}`);
  }
  const body = JSON.stringify(payload);
  const results = await Promise.allSettled(
    load.handlersOf(name).map((id) => load.invoke(`event:${name}`, "events.emit", String(id), body)),
  );
  const failures = results.flatMap((result) => (result.status === "rejected" ? [causeOf(result.reason)] : []));
  if (failures.length === 1) {
    throw failures[0];
  }
  if (failures.length > 1) {
    throw new AggregateError(failures, `${failures.length} handlers of "${name}" failed`);
  }
}

export async function runHook(load: Generation, hook: string, context: DeepPartial<DispatchContext>): Promise<DispatchDecision> {
  const hooks = load.registration<string[]>("hooks") ?? [];
  if (!hooks.includes(hook)) {
    return { kind: "proceed" };
  }
  try {
    return JSON.parse(
      await load.invoke(`hook:${hook}`, "hooks.decide", hook, JSON.stringify(dispatchContext(context))),
    ) as DispatchDecision;
  } catch (error) {
    const message = `the hook "${hook}" of plugin "${load.pluginId}" failed: ${(error as Error).message}`;
    return { kind: "reject", message };
  }
}

/** What the plugin's code threw, where that is behind an error. */
export function causeOf(error: unknown): unknown {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  return code === "handler_error" && cause !== undefined ? cause : error;
}

export function notFound(kind: string, pluginId: string, name: string): Error {
  return failure("not_found", `plugin "${pluginId}" has no ${kind} "${name}"`);
}
