import GitFork from "lucide-react/icons/git-fork";
import Pencil from "lucide-react/icons/pencil";

import type { PluginMessageActionContext } from "#sdk/app/slots/message.js";
import type { TimelineAssistantRow, TimelineUserRow } from "#sdk/records.js";

import { composerHandle, inertComposer } from "@/composer/handle";
import { composersNow, findComposer } from "@/composer/registry";
import { runPluginAction } from "@/plugins/plugin_action";
import { type ActivePlugin, type Registered, useRegistrations } from "@/plugins/registry";
import { currentPanelSurface } from "@/plugins/right_panel";
import { Icon } from "@/sdk_app/icon";
import { IconButton } from "@/ui/button";
import { CopyButton } from "@/ui/copy_button";
import { actionOwner, endActionOwner } from "./action_owners";
import { type ThreadView, useIsOfLast, useThreadView } from "./thread_view";

export type MessageRow = TimelineUserRow | TimelineAssistantRow;

/** What an action is chosen for: a message, or what somebody has selected in it. */
interface Chosen {
  row: MessageRow;
  text: string;
  selectedText?: string;
}

function composerOf(plugin: ActivePlugin, { threadId, projectId, surface }: ThreadView) {
  const model = findComposer(composersNow(), { threadId });
  return model === undefined
    ? inertComposer({ kind: "thread", threadId, projectId })
    : composerHandle(model, model.state, actionOwner(plugin), surface.isCompact ?? false);
}

async function endOnFailure(plugin: ActivePlugin, run: () => unknown): Promise<void> {
  try {
    await run();
  } catch (failure) {
    endActionOwner(plugin);
    throw failure;
  }
}

function contextFor(plugin: ActivePlugin, view: ThreadView, { row, text, selectedText }: Chosen): PluginMessageActionContext {
  return {
    threadId: view.threadId,
    message: { id: row.id, threadId: view.threadId, role: row.role, text, sourceSeqEnd: row.sourceSeqEnd },
    ...(selectedText === undefined ? {} : { selectedText }),
    openPanel: ({ actionId, title, params = null }) =>
      (view.surface.panel ?? currentPanelSurface())?.open({
        pluginId: plugin.pluginId,
        actionId,
        params,
        ...(title === undefined ? {} : { title }),
      }) ?? false,
    composer: composerOf(plugin, view),
  };
}

/** Runs what a plugin offers with messages; its failure is told with the plugin's name. */
export function runMessageAction({ plugin, registration }: Registered<"messageActions">, view: ThreadView, chosen: Chosen): void {
  const { id, title, run } = registration;
  runPluginAction(plugin, `messageAction ${id}`, title, () => endOnFailure(plugin, () => run(contextFor(plugin, view, chosen))));
}

/** What can be done with a message. Always there for the keyboard and for fingers, else with the pointer on it. */
export function MessageActions({ row, text }: { row: MessageRow; text: string | (() => string) }) {
  const view = useThreadView();
  const registrations = useRegistrations("messageActions");
  const read = () => (typeof text === "string" ? text : text());
  const { threadId, onFork, onEdit, extraActions } = view;
  // What is changed is the last message, with which its turn began.
  const isLast = useIsOfLast(row.id) && row.turnRequest?.kind === "message";
  return (
    <div
      role="group"
      aria-label="Actions for the message"
      className="flex items-center gap-0.5 opacity-0 transition-opacity group-hover/message:opacity-100 focus-within:opacity-100 pointer-coarse:opacity-100"
    >
      <CopyButton text={text} label="Copy message" />
      {onFork !== undefined && (
        <IconButton size="sm" label="Fork from here" onClick={() => onFork(row.sourceSeqEnd)}>
          <GitFork aria-hidden />
        </IconButton>
      )}
      {onEdit !== undefined && row.role === "user" && isLast && (
        <IconButton size="sm" label="Edit message" onClick={() => onEdit(row)}>
          <Pencil aria-hidden />
        </IconButton>
      )}
      {registrations.map((registered) => {
        const { pluginId } = registered.plugin;
        const { id, title, icon } = registered.registration;
        return (
          <IconButton
            key={`${pluginId}/${id}`}
            size="sm"
            label={title}
            onClick={() => runMessageAction(registered, view, { row, text: read() })}
          >
            <Icon name={icon ?? "puzzle"} pluginId={pluginId} />
          </IconButton>
        );
      })}
      {extraActions
        .filter(({ roles }) => roles.includes(row.role))
        .map(({ id, title, icon, run }) => (
          <IconButton
            key={id}
            size="sm"
            label={title}
            onClick={() => run({ id: row.id, threadId, role: row.role, text: read(), sourceSeqEnd: row.sourceSeqEnd })}
          >
            <Icon name={icon ?? "puzzle"} />
          </IconButton>
        ))}
    </div>
  );
}
