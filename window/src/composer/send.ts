import type { NewThreadRequest } from "#sdk/app/new_thread_request.js";
import type { NewThreadComposerProps } from "#sdk/app/components.js";
import type { EnvironmentIntent, InputBlock, Mention, Provider, ReasoningLevel, Thread } from "#sdk/records.js";
import type { ProviderModels } from "#sdk/sdk_providers.js";
import type { ExecutionInputSources } from "#sdk/sdk_threads.js";
import type { ProjectExecutionOptions } from "#sdk/sdk_workspaces.js";

import { api } from "@/api/http";
import { kPersonalProjectId } from "@/api/projects";
import { hasRecords } from "@/api/queries";
import { isMissingRoute } from "@/sdk_app/availability";
import { uploadedAttachments } from "./attachments";
import { kDefaultPermissionMode } from "./execution";
import type { OwnedMention } from "./mentions";
import type { ComposerMessage } from "./model";

function mentionOf({ pluginId, resource, provider, id, label, start, end }: OwnedMention): Mention[] {
  if (resource !== undefined) {
    return [{ start, end, resource }];
  }
  return pluginId === undefined ? [] : [{ start, end, resource: { kind: "plugin", pluginId, itemId: `${provider}:${id}`, label } }];
}

/** `L:input` — bytes of text that one message may have. */
const kMaxTextBytes = 1024 * 1024;

/** Why a text is too long for one message; null when it is not. */
export function textProblem(text: string): string | null {
  // A unit of UTF-16 has at most three bytes, and most texts are far away from the limit.
  const bytes = text.length * 3 <= kMaxTextBytes ? 0 : new TextEncoder().encode(text).length;
  const count = (value: number) => value.toLocaleString("en");
  return bytes <= kMaxTextBytes
    ? null
    : `The message has ${count(bytes)} bytes of text, and ${count(kMaxTextBytes)} are taken. Shorten it, or attach the text as a file.`;
}

/** A message as the service takes it; its files are with the project by then. Rejects with what to tell the user. */
export async function inputOf(
  { text, mentions, attachments }: Pick<ComposerMessage, "text" | "mentions" | "attachments">,
  projectId: string | null,
): Promise<InputBlock[]> {
  const problem = textProblem(text);
  if (problem !== null) {
    throw new Error(problem);
  }
  const sent = mentions.flatMap(mentionOf);
  const files = await uploadedAttachments(attachments, projectId);
  return [
    ...(text.trim() === "" ? [] : [{ type: "text" as const, text, ...(sent.length === 0 ? {} : { mentions: sent }) }]),
    ...(files as InputBlock[]),
  ];
}

/** What a new thread starts from where the user chose nothing. */
export type NewThreadSeeds = Pick<
  NewThreadComposerProps,
  | "projectId"
  | "defaultProjectId"
  | "defaultProviderId"
  | "defaultModel"
  | "defaultReasoningLevel"
  | "defaultServiceTier"
  | "defaultPermissionMode"
  | "defaultEnvironment"
>;

export const projectOf = ({ defaultProjectId, projectId }: NewThreadSeeds): string | null => defaultProjectId ?? projectId ?? null;

type ExecutionDefaults = Partial<ProjectExecutionOptions>;

/** Everything a thread needs, from the seeds, else from the defaults of the project, else from the first agent there is. */
export async function requestOf(seeds: NewThreadSeeds, message: ComposerMessage): Promise<NewThreadRequest> {
  const project = projectOf(seeds);
  const defaults = await projectDefaults(project);
  const providerId = seeds.defaultProviderId ?? defaults.providerId ?? (await firstProvider());
  // The model of another provider is none of this one's.
  const ofProvider = providerId === defaults.providerId ? defaults : {};
  const model = await modelOf(providerId, seeds.defaultModel ?? ofProvider.model ?? null);
  const serviceTier = seeds.defaultServiceTier ?? ofProvider.serviceTier;
  return {
    projectId: project ?? kPersonalProjectId,
    providerId,
    model: model.id,
    reasoningLevel: nearestLevel(seeds.defaultReasoningLevel ?? ofProvider.reasoningLevel ?? model.defaultLevel, model.levels),
    permissionMode: seeds.defaultPermissionMode ?? defaults.permissionMode ?? kDefaultPermissionMode,
    ...(serviceTier === undefined ? {} : { serviceTier }),
    executionInputSources: sourcesOf(seeds),
    environment: seeds.defaultEnvironment ?? defaultEnvironment(project),
    input: await inputOf(message, project),
  };
}

function sourcesOf(seeds: NewThreadSeeds): ExecutionInputSources {
  const given = {
    providerId: seeds.defaultProviderId,
    model: seeds.defaultModel,
    reasoningLevel: seeds.defaultReasoningLevel,
    serviceTier: seeds.defaultServiceTier,
    permissionMode: seeds.defaultPermissionMode,
  };
  return Object.fromEntries(Object.entries(given).flatMap(([field, value]) => (value === undefined ? [] : [[field, "explicit" as const]])));
}

async function projectDefaults(projectId: string | null): Promise<ExecutionDefaults> {
  if (projectId === null || !(await hasRecords("projects"))) {
    return {};
  }
  const { options } = await api<{ options: ProjectExecutionOptions | null }>(
    "GET",
    `/projects/${encodeURIComponent(projectId)}/default-execution-options`,
  );
  return options ?? {};
}

/** Empty where the service has no agents. */
async function firstProvider(): Promise<string> {
  if (!(await hasRecords("providers"))) {
    return "";
  }
  const { providers } = await api<{ providers: Provider[] }>("GET", "/providers");
  return providers.find(({ available }) => available)?.id ?? "";
}

/** In order of effort. */
const kLevels: readonly ReasoningLevel[] = ["none", "low", "medium", "high", "xhigh", "ultracode", "max", "ultra"];

interface ChosenModel {
  id: string;
  defaultLevel: ReasoningLevel;
  /** Empty: nothing is known about them. */
  levels: readonly ReasoningLevel[];
}

/** The wanted model where it is still there, else the default one. */
async function modelOf(providerId: string, wanted: string | null): Promise<ChosenModel> {
  if (providerId === "" || !(await hasRecords("providers"))) {
    return { id: wanted ?? "default", defaultLevel: "none", levels: [] };
  }
  const { models, selectedOnlyModels } = await api<ProviderModels>("GET", "/providers/models", { query: { providerId } });
  const all = [...models, ...selectedOnlyModels];
  const found = all.find(({ id, model }) => id === wanted || model === wanted) ?? models.find(({ isDefault }) => isDefault) ?? models[0];
  return found === undefined
    ? { id: "default", defaultLevel: "none", levels: [] }
    : {
        id: found.id,
        defaultLevel: found.defaultReasoningEffort,
        levels: found.supportedReasoningEfforts.map(({ reasoningEffort }) => reasoningEffort),
      };
}

/** The supported level that is closest to the wanted one. */
function nearestLevel(wanted: ReasoningLevel, supported: readonly ReasoningLevel[]): ReasoningLevel {
  const distance = (level: ReasoningLevel): number => Math.abs(kLevels.indexOf(level) - kLevels.indexOf(wanted));
  return [...supported].sort((a, b) => distance(a) - distance(b))[0] ?? wanted;
}

/** Where a thread works when nobody chose that. */
function defaultEnvironment(project: string | null): EnvironmentIntent {
  return project === null || project === kPersonalProjectId
    ? { type: "host", workspace: { type: "personal" } }
    : { type: "project-default" };
}

/** Creates a thread with its first message, with what the pickers show. Rejects with what to tell the user. */
export async function createThread(seeds: NewThreadSeeds, message: ComposerMessage): Promise<string> {
  const { pluginInput } = message;
  try {
    const { providerId, ...request } = await requestOf(seeds, message);
    const { thread } = await api<{ thread: Thread }>("POST", "/threads", {
      body: {
        ...request,
        // Without one, the service says best what is missing.
        ...(providerId === "" ? {} : { providerId }),
        origin: "app",
        ...(Object.keys(pluginInput).length === 0 ? {} : { pluginMetadata: pluginInput }),
      },
    });
    return thread.id;
  } catch (failure) {
    throw isMissingRoute(failure) ? new Error(notSentText(failure)) : failure;
  }
}

function notSentText(failure: unknown): string {
  return `This version of the service has no agents that could answer. The draft is kept. The service says: ${(failure as Error).message}`;
}
