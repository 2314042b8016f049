import type { NewThreadRequest } from "#sdk/app/component_types.js";
import type { InputBlock, Thread } from "#sdk/records.js";

import { api } from "../api/http";
import { isMissingRoute } from "../sdk_app/availability";
import type { ComposerMessage } from "./model";

/** A message as the service takes it. */
export function inputOf({ text, mentions }: Pick<ComposerMessage, "text" | "mentions">): InputBlock[] {
  const sent = mentions.map(({ provider, id, label, start, end }) => ({ kind: "plugin" as const, id: `${provider}:${id}`, label, start, end }));
  return [{ type: "text", text, ...(sent.length === 0 ? {} : { mentions: sent }) }];
}

export function requestOf(projectId: string | null, message: ComposerMessage): NewThreadRequest {
  return {
    projectId,
    input: inputOf(message),
    providerId: null,
    model: null,
    reasoningLevel: null,
    permissionMode: null,
    environmentId: null,
  };
}

/** Creates a thread with its first message. Rejects with what to tell the user. */
export async function createThread(projectId: string | null, message: ComposerMessage): Promise<string> {
  const { pluginInput } = message;
  try {
    const { thread } = await api<{ thread: Thread }>("POST", "/threads", {
      body: {
        input: inputOf(message),
        origin: "app",
        ...(projectId === null ? {} : { projectId }),
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
