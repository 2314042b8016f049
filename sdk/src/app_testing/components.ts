import { createElement, type ReactNode } from "react";

import type * as facade from "../app/components.js";
import { useMount } from "./hooks.js";

// Stand-ins: the text a person would read and the roles assistive technology would find, without looks.

function box(name: string, props: Record<string, unknown>, ...children: ReactNode[]): ReactNode {
  return createElement("div", { "data-svc-component": name, ...props }, ...children);
}

const nothing = () => null;

const Markdown: typeof facade.Markdown = ({ content, className }) => box("Markdown", { className }, content);
const ThreadChat: typeof facade.ThreadChat = ({ threadId, className, leadingContent }) =>
  box("ThreadChat", { className, "data-thread-id": threadId }, leadingContent);

export const kComponents: typeof facade = {
  Markdown,
  experimental_Markdown: Markdown,
  ThreadChat,
  experimental_ThreadChat: ThreadChat,
  UrlLink: ({ rel, target, ...props }) =>
    createElement("a", { ...props, target, rel: rel ?? (target === "_blank" ? "noopener noreferrer" : undefined) }),
  experimental_Dialog: ({ open, onOpenChange, title, description, children }) =>
    open
      ? createElement(
          "div",
          {
            role: "dialog",
            "aria-label": title,
            onKeyDown: (event: { key: string }) => event.key === "Escape" && onOpenChange(false),
          },
          createElement("h2", null, title),
          description === undefined ? null : createElement("p", null, description),
          children,
        )
      : null,
  experimental_NewThreadComposer: (props) => {
    const { onSubmit, initialPrompt, className } = props;
    const projectId = props.defaultProjectId ?? props.projectId;
    const submit = (event: { preventDefault(): void; currentTarget: HTMLFormElement }) => {
      event.preventDefault();
      const text = String(new FormData(event.currentTarget).get("prompt"));
      void onSubmit?.({
        projectId: projectId ?? "proj_personal",
        input: [{ type: "text", text }],
        providerId: props.defaultProviderId ?? "test",
        model: props.defaultModel ?? "default",
        reasoningLevel: props.defaultReasoningLevel ?? "none",
        permissionMode: props.defaultPermissionMode ?? "auto",
        ...(props.defaultServiceTier === undefined ? {} : { serviceTier: props.defaultServiceTier }),
        executionInputSources: {},
        environment:
          props.defaultEnvironment ??
          (projectId === undefined ? { type: "host", workspace: { type: "personal" } } : { type: "project-default" }),
      });
    };
    return createElement(
      "form",
      { "data-svc-component": "NewThreadComposer", className, onSubmit: submit },
      createElement("textarea", { name: "prompt", "aria-label": "New thread", defaultValue: initialPrompt }),
      createElement("button", { type: "submit" }, "Start"),
    );
  },
  experimental_FileLink: function FileLink({ path, source, line, children }) {
    const mount = useMount("experimental_FileLink");
    const open = () =>
      void mount.navigateCalls.push({
        method: "experimental_openFilePreview",
        options: { target: { path, source }, ...(line === undefined ? {} : { location: { line } }) },
      });
    return createElement("button", { type: "button", onClick: open }, children ?? path);
  },
  experimental_SourceCode: ({ content }) => createElement("pre", null, createElement("code", null, content)),
  experimental_Diff: ({ patch }) => createElement("pre", null, createElement("code", null, patch)),
  ThreadTitle: function ThreadTitle({ threadId }) {
    const { threads } = useMount("ThreadTitle").state.threads;
    const thread = threads.find(({ id }) => id === threadId);
    return thread === undefined ? threadId : (thread.title ?? thread.titleFallback);
  },
  experimental_Icon: ({ name, className }) => createElement("svg", { "aria-hidden": true, "data-icon": name, className }),
  experimental_ProviderIcon: ({ providerId, className }) =>
    createElement("svg", { "aria-hidden": true, "data-icon": providerId, className }),
  experimental_ProviderModelPicker: nothing,
  experimental_PermissionModePicker: nothing,
  experimental_BranchPicker: nothing,
  experimental_SidebarNavigationIcon: nothing,
};
