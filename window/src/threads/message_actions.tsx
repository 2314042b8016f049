import GitFork from "lucide-react/icons/git-fork";
import Pencil from "lucide-react/icons/pencil";

import type { PluginMessageActionContext } from "#sdk/app/slots/message.js";
import type { TimelineAssistantRow, TimelineUserRow } from "#sdk/records.js";

import { composerHandle, inertComposer } from "@/composer/handle";
import { composersNow, findComposer } from "@/composer/registry";
import { runPluginAction } from "@/plugins/plugin_action";
import { type ActivePlugin, useRegistrations } from "@/plugins/registry";
import { currentPanelSurface } from "@/plugins/right_panel";
import { Icon } from "@/sdk_app/icon";
import { IconButton } from "@/ui/button";
import { CopyButton } from "@/ui/copy_button";
import { type ThreadView, useIsOfLast, useThreadView } from "./thread_view";

type MessageRow = TimelineUserRow | TimelineAssistantRow;

function composerOf({ pluginId, name }: ActivePlugin, { threadId, projectId, surface }: ThreadView) {
  const model = findComposer(composersNow(), { threadId });
  // An action runs and is over: what it locks, nobody would release.
  const owner = { pluginId, name, own: (release: () => void) => release };
  return model === undefined
    ? inertComposer({ kind: "thread", threadId, projectId })
    : composerHandle(model, model.state, owner, surface.isCompact ?? false);
}

function contextFor(plugin: ActivePlugin, view: ThreadView, row: MessageRow, text: string): PluginMessageActionContext {
  return {
    threadId: view.threadId,
    message: { id: row.id, threadId: view.threadId, role: row.role, text, sourceSeqEnd: row.sourceSeqEnd },
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
      {registrations.map(({ plugin, registration: { id, title, icon, run } }) => (
        <IconButton
          key={`${plugin.pluginId}/${id}`}
          size="sm"
          label={title}
          onClick={() => runPluginAction(plugin, `messageAction ${id}`, title, () => run(contextFor(plugin, view, row, read())))}
        >
          <Icon name={icon ?? "puzzle"} pluginId={plugin.pluginId} />
        </IconButton>
      ))}
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
