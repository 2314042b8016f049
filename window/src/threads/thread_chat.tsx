import { use, useMemo } from "react";

import type { ThreadChatProps } from "#sdk/app/components.js";

import { PluginMountContext, type SurfaceContext } from "@/plugins/mount_context";
import { runPluginAction } from "@/plugins/plugin_action";
import { cn } from "@/ui/cn";
import { TooltipProvider } from "@/ui/tooltip";
import { Conversation } from "./conversation";
import type { ExtraMessageAction } from "./thread_view";

/** `ThreadChat` of the SDK: a thread in a plugin's own place. */
export default function ThreadChat({
  threadId,
  variant = "full",
  layout = "contained",
  focusRequest,
  permissionPolicy = "inherit",
  className,
  leadingContent,
  messageActions = [],
}: ThreadChatProps) {
  const mount = use(PluginMountContext);
  const surface = useMemo<SurfaceContext>(() => ({ ...mount?.surface, projectId: null, threadId }), [mount, threadId]);
  const extraActions = messageActions.map<ExtraMessageAction>(({ id, title, icon, roles = ["user", "assistant"], run }) => ({
    id,
    title,
    icon,
    roles,
    run: (message) => (mount === null ? run(message) : runPluginAction(mount.plugin, `ThreadChat ${id}`, title, () => run(message))),
  }));
  return (
    <TooltipProvider>
      <Conversation
        threadId={threadId}
        surface={surface}
        variant={variant}
        canChooseMode={permissionPolicy === "editable"}
        focusRequest={focusRequest}
        extraActions={extraActions}
        leadingContent={leadingContent}
        className={cn(layout === "document" ? "min-h-96" : "h-full", className)}
      />
    </TooltipProvider>
  );
}
