import { type AnchorHTMLAttributes, lazy, Suspense, useContext, useEffect } from "react";

import type * as facade from "#sdk/app/components.js";

import { PluginMountContext } from "@/plugins/mount_context";
import { addPluginUnsupported, addPluginWarning, useRegistrations } from "@/plugins/registry";
import { SlotMount } from "@/plugins/slot_mount";
import { notify } from "@/lib/notifications";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { EmptyState } from "@/ui/empty_state";
import { Loading } from "@/ui/spinner";
import { Diff } from "./diff";
import { Icon } from "./icon";
import { followInWindow, linkKind } from "./links";
import { Markdown } from "./markdown";
import { useMount, useOfMount } from "./mount";
import { navigateOf } from "./navigate";
import { SourceCode } from "./source_code";
import { boundThreadChat } from "./thread_chat";
import { threadName } from "./thread_records";
import { useThreadLists } from "./threads_data";

const NewThreadComposer = lazy(() => import("@/composer/new_thread_composer"));

/** A path of the window is followed in it; a new target cannot reach back. */
function UrlLink({ rel, target, href, onClick, children, ...props }: AnchorHTMLAttributes<HTMLAnchorElement>) {
  const opensNew = target !== undefined && target !== "_self";
  const words = new Set((rel ?? "").split(/\s+/).filter(Boolean));
  if (opensNew) {
    words.add("noopener").add("noreferrer");
  }
  const kind = linkKind(href);
  return (
    <a
      {...props}
      // Addresses of scripts and data are nothing to follow.
      href={kind === "none" && /^[a-z][a-z0-9+.-]*:/i.test(href?.trim() ?? "") ? undefined : href}
      target={target}
      rel={words.size === 0 ? undefined : [...words].join(" ")}
      onClick={(event) => {
        onClick?.(event);
        if (kind === "window" && !opensNew) {
          followInWindow(event, href!);
        }
      }}
    >
      {children}
    </a>
  );
}

/** The dialog leaves the mount; its content says whose it is, so that the plugin's styles reach it. */
function PluginDialog({ open, onOpenChange, title, description, children }: facade.PluginDialogProps) {
  const { pluginId } = useMount("experimental_Dialog").plugin;
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={title} {...(description === undefined ? {} : { description })}>
      <div className="contents" data-svc-plugin={pluginId} data-svc-plugin-root="" data-svc-portaled-overlay="">
        {children}
      </div>
    </Dialog>
  );
}

function FileLink({ path, source, line, children }: facade.FileLinkProps) {
  const navigate = useOfMount("experimental_FileLink", navigateOf);
  const open = () => {
    const target = { path, ...(source === undefined ? {} : { source }) };
    if (!navigate.experimental_openFilePreview({ target, ...(line === undefined ? {} : { location: { line } }) })) {
      notify({ kind: "info", title: "This file cannot be shown", description: line === undefined ? path : `${path}:${line}` });
    }
  };
  return (
    <Button variant="link" className="font-mono text-[0.875em]" onClick={open}>
      {children ?? (line === undefined ? path : `${path}:${line}`)}
    </Button>
  );
}

function ThreadTitle({ threadId }: { threadId: string }) {
  const thread = useThreadLists().threads.find(({ id }) => id === threadId);
  return <>{thread === undefined ? threadId : threadName(thread)}</>;
}

/** There is nothing to show of a thread while the service has no agents, and it says so. */
function ThreadChat(props: facade.ThreadChatProps) {
  const { threadId, className, leadingContent } = props;
  const { status, threads } = useThreadLists();
  const isKnown = threads.some(({ id }) => id === threadId);
  const Chat = boundThreadChat();
  if (isKnown && Chat !== null) {
    return (
      <Suspense fallback={<Loading label="Loading the thread…" />}>
        <Chat {...props} />
      </Suspense>
    );
  }
  return (
    <div className={className} data-svc-thread-window={threadId}>
      {leadingContent}
      {status === "loading" ? (
        <Loading label="Loading the thread…" />
      ) : (
        <EmptyState
          title={isKnown ? "This thread cannot be shown here" : "This thread is not there"}
          description={isKnown ? "Load the page again to show it." : "It may have been deleted, or it is one of another server."}
        />
      )}
    </div>
  );
}

/** First plugin in slot order wins; the others are told. */
function ProviderIcon({ providerId, className }: { providerId: string; className?: string }) {
  const [first, ...others] = useRegistrations("providerIcons").filter(({ registration }) => registration.providerId === providerId);
  const late = others.map(({ plugin }) => plugin.pluginId).join(" ");
  const winner = first?.plugin.pluginId;
  useEffect(() => {
    for (const pluginId of late.split(" ").filter(Boolean)) {
      addPluginWarning(pluginId, `slots.experimental_providerIcon: the icon of "${providerId}" is that of ${winner}, which comes first`);
    }
  }, [late, winner, providerId]);
  const props = className === undefined ? {} : { className };
  if (first === undefined) {
    return <Icon name="bot" {...props} />;
  }
  return (
    <SlotMount
      plugin={first.plugin}
      slot="experimental_providerIcon"
      id={providerId}
      component={first.registration.icon}
      props={props}
      fallback="none"
    />
  );
}

/** Known by name only: renders nothing, and the diagnostics list it. */
function unsupported(name: string) {
  return function Unsupported() {
    const pluginId = useContext(PluginMountContext)?.plugin.pluginId;
    useEffect(() => {
      if (pluginId !== undefined) {
        addPluginUnsupported(pluginId, name);
      }
    }, [pluginId]);
    return null;
  };
}

/** The components of `@get-svc/plugin-sdk/app`, as the window implements them. */
export const kComponents: typeof facade = {
  Markdown,
  experimental_Markdown: Markdown,
  ThreadChat,
  experimental_ThreadChat: ThreadChat,
  UrlLink,
  experimental_Dialog: PluginDialog,
  experimental_NewThreadComposer: (props) => (
    <Suspense fallback={<Loading label="Loading the composer…" />}>
      <NewThreadComposer {...props} />
    </Suspense>
  ),
  experimental_FileLink: FileLink,
  experimental_SourceCode: SourceCode,
  experimental_Diff: Diff,
  ThreadTitle,
  experimental_Icon: Icon,
  experimental_ProviderIcon: ProviderIcon,
  experimental_ProviderModelPicker: unsupported("experimental_ProviderModelPicker"),
  experimental_PermissionModePicker: unsupported("experimental_PermissionModePicker"),
  experimental_BranchPicker: unsupported("experimental_BranchPicker"),
  experimental_SidebarNavigationIcon: unsupported("experimental_SidebarNavigationIcon"),
};
