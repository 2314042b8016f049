/** What a dispatch hook is told of a message, where the test does not say. */
import type { DispatchContext } from "../src/events";
import type { Environment, Host, Project, Thread } from "../src/records";
import type { DeepPartial } from "../src/testing/behavior";
import { makeThreadResponse } from "./thread";

const kProject: Project = {
  id: "proj_test",
  kind: "standard",
  name: "Test",
  gitRemoteUrl: null,
  sources: [],
  createdAt: 0,
  updatedAt: 0,
};

const kEnvironment: Environment = {
  id: "env_test",
  name: null,
  projectId: kProject.id,
  hostId: "host_test",
  path: null,
  managed: false,
  isGitRepo: false,
  isWorktree: false,
  workspaceProvisionType: "unmanaged",
  providerId: null,
  branchName: null,
  baseBranch: null,
  defaultBranch: null,
  mergeBaseBranch: null,
  status: "ready",
  statusDetail: null,
  lifecycle: { phase: "active", retireAt: null, teardown: null },
  createdAt: 0,
  updatedAt: 0,
};

const kHost: Host = {
  id: "host_test",
  name: "Test",
  type: "persistent",
  status: "connected",
  role: "server",
  state: "available",
  stateMessage: null,
  machineProviderId: null,
  lifecycle: { phase: "active", message: null, teardown: null },
  maxPermissionMode: "full",
  lastSeenAt: 0,
  lastRejectedProtocolVersion: null,
  createdAt: 0,
  updatedAt: 0,
};

/** A record of which a test says something is there; of which it says nothing, is not. */
function given<T>(partial: DeepPartial<T> | null | undefined, defaults: T): T | null {
  return partial === undefined || partial === null ? null : ({ ...defaults, ...partial } as T);
}

function inputOf(partial: DeepPartial<DispatchContext["input"]> = {}): DispatchContext["input"] {
  const { text = "", blocks = [{ type: "text", text }] } = partial;
  return { text, blocks: blocks as DispatchContext["input"]["blocks"] };
}

/** The first message of a thread that a user writes in the window, but for what is given. */
export function dispatchContext(partial: DeepPartial<DispatchContext> = {}): DispatchContext {
  const { environment, host, project, thread, input, ...rest } = partial;
  return {
    attempt: "start-turn",
    environmentIntent: environment === undefined || environment === null ? { type: "project-default" } : null,
    requestedExecution: {},
    executionSources: {},
    origin: "app",
    originPluginId: null,
    parentThreadId: null,
    initiator: "user",
    senderThreadId: null,
    queuedMessages: [],
    ...(rest as Partial<DispatchContext>),
    thread: makeThreadResponse(thread as Partial<Thread> | undefined),
    project: { ...kProject, ...(project as Partial<Project> | undefined) },
    environment: given(environment, kEnvironment),
    host: given(host, kHost),
    input: inputOf(input),
  };
}
