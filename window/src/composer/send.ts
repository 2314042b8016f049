import type { NewThreadRequest } from "#sdk/app/new_thread_request.js";
import type { EnvironmentIntent, InputBlock, Mention, Provider, Thread } from "#sdk/records.js";
import type { ProviderModels } from "#sdk/sdk_providers.js";
import type { ExecutionInputSources } from "#sdk/sdk_threads.js";
import type { ProjectExecutionOptions } from "#sdk/sdk_workspaces.js";

import { api } from "@/api/http";
import { kPersonalProjectId } from "@/api/projects";
import { hasRecords } from "@/api/queries";
import { isMissingRoute } from "@/sdk_app/availability";
import { attachmentFrom, type ComposerAttachment, uploadedAttachments } from "./attachments";
import { findModel, kDefaultPermissionMode, modelOf, nearestLevel } from "./execution";
import type { OwnedMention } from "#sdk/app_policy/composer_text.js";
import type { ComposerDraft, ComposerMessage } from "./model";
import { type NewThreadSeeds, projectOf, resolveSeeds } from "./seeds";

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

/** A message that was taken back, as it was written; what only the agent reads was not. */
export function draftOf(input: readonly InputBlock[], projectId: string | null): ComposerDraft {
  let text = "";
  const mentions: OwnedMention[] = [];
  const attachments: ComposerAttachment[] = [];
  for (const block of input.filter(({ visibility }) => visibility === undefined)) {
    if (block.type === "text") {
      const by = text === "" ? 0 : text.length + 1;
      text += (by === 0 ? "" : "\n") + block.text;
      for (const { start, end, resource } of block.mentions ?? []) {
        mentions.push({ start: start + by, end: end + by, provider: "", id: "", label: resource.label, resource });
      }
    } else {
      attachments.push(attachmentFrom(block, projectId));
    }
  }
  return { text, mentions, attachments };
}

type ExecutionDefaults = Partial<ProjectExecutionOptions>;

/** Everything a thread needs, from the seeds that are there, else from the defaults of the project, else from the first agent there is. */
export async function requestOf(given: NewThreadSeeds, message: ComposerMessage): Promise<NewThreadRequest> {
  const seeds = await resolveSeeds(given);
  const project = projectOf(seeds);
  const defaults = await projectDefaults(project);
  const providerId = await agentOf(seeds.defaultProviderId, defaults.providerId);
  // The model of another provider is none of this one's.
  const ofProvider = providerId === defaults.providerId ? defaults : {};
  const offered = await modelsOf(providerId);
  const model = offered === null ? undefined : modelOf(offered, seeds.defaultModel, ofProvider.model);
  const isModel = offered === null || findModel(offered, seeds.defaultModel) !== undefined;
  const serviceTier = seeds.defaultServiceTier ?? ofProvider.serviceTier;
  const sources = sourcesOf({
    ...seeds,
    defaultProviderId: seeds.defaultProviderId === providerId ? providerId : undefined,
    defaultModel: isModel ? seeds.defaultModel : undefined,
  });
  return {
    projectId: project ?? kPersonalProjectId,
    providerId,
    model: offered === null ? (seeds.defaultModel ?? ofProvider.model ?? "default") : (model?.id ?? "default"),
    reasoningLevel: nearestLevel(seeds.defaultReasoningLevel ?? ofProvider.reasoningLevel, model),
    permissionMode: seeds.defaultPermissionMode ?? defaults.permissionMode ?? kDefaultPermissionMode,
    ...(serviceTier === undefined ? {} : { serviceTier }),
    executionInputSources: sources,
    environment: seeds.defaultEnvironment ?? defaultEnvironment(project),
    input: await inputOf(message, project),
  };
}

function sourcesOf(seeds: { [Name in keyof NewThreadSeeds]: NewThreadSeeds[Name] | undefined }): ExecutionInputSources {
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

/** The first of the wanted agents that is there, else one that can be used. Empty where the service has none. */
async function agentOf(...wanted: (string | undefined)[]): Promise<string> {
  const named = wanted.filter((id) => id !== undefined);
  let providers: readonly Provider[] = [];
  try {
    if (await hasRecords("providers")) {
      ({ providers = [] } = await api<{ providers?: Provider[] }>("GET", "/providers"));
    }
  } catch (failure) {
    if (named.length === 0) {
      throw failure;
    }
  }
  const found = named.find((id) => providers.some((provider) => provider.id === id));
  return found ?? (providers.find(({ available }) => available) ?? providers[0])?.id ?? named[0] ?? "";
}

async function modelsOf(providerId: string): Promise<ProviderModels | null> {
  return providerId === "" || !(await hasRecords("providers"))
    ? null
    : api<ProviderModels>("GET", "/providers/models", { query: { providerId } });
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
