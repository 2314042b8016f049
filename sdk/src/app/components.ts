import type { AnchorHTMLAttributes, ReactNode } from "react";

import type { NewThreadRequest } from "./component_types.js";
import { runtime } from "./runtime.js";
import type { PluginFileSource } from "./slots_more.js";

// Behaviour only the window has. For everything else plugins own the source of their components.

export interface MarkdownProps {
  /** GitHub flavoured Markdown with math; HTML is sanitised. */
  content: string;
  className?: string;
}

/** Renders Markdown as messages do, code in the current code theme. */
export function Markdown(props: MarkdownProps): ReactNode {
  return runtime("Markdown")(props);
}

export interface ThreadChatProps {
  threadId: string;
  /** Default `full`. */
  variant?: "full" | "compact" | "timeline";
  layout?: "contained" | "document";
  /** Another value moves focus to the composer. */
  focusRequest?: number;
  permissionPolicy?: "inherit" | "editable";
  className?: string;
  leadingContent?: ReactNode;
  messageActions?: ReactNode;
}

/** A thread with its composer. */
export function ThreadChat(props: ThreadChatProps): ReactNode {
  return runtime("ThreadChat")(props);
}

/** A link: keeps modifier clicks and adds a safe `rel` when it opens a new target. */
export function UrlLink(props: AnchorHTMLAttributes<HTMLAnchorElement>): ReactNode {
  return runtime("UrlLink")(props);
}

export interface PluginDialogProps {
  open: boolean;
  onOpenChange(open: boolean): void;
  title: string;
  description?: string;
  children?: ReactNode;
}

/** A centred dialog; on compact viewports a drawer from the bottom. */
export function experimental_Dialog(props: PluginDialogProps): ReactNode {
  return runtime("experimental_Dialog")(props);
}

export interface NewThreadComposerProps {
  projectId?: string;
  initialPrompt?: string;
  /** Instead of creating the thread. */
  onSubmit?(request: NewThreadRequest): void | Promise<void>;
  onCreated?(threadId: string): void;
  className?: string;
}

export function experimental_NewThreadComposer(props: NewThreadComposerProps): ReactNode {
  return runtime("experimental_NewThreadComposer")(props);
}

export interface FileLinkProps {
  path: string;
  source?: PluginFileSource;
  /** Counts from 1. */
  line?: number;
  children?: ReactNode;
}

/** Opens the file's preview. */
export function experimental_FileLink(props: FileLinkProps): ReactNode {
  return runtime("experimental_FileLink")(props);
}

export interface SourceCodeProps {
  content: string;
  /** Decides the language. */
  path?: string;
  /** Lines count from 1; `end` is included. */
  highlightedLines?: { start: number; end: number };
}

export function experimental_SourceCode(props: SourceCodeProps): ReactNode {
  return runtime("experimental_SourceCode")(props);
}

export interface DiffProps {
  /** A unified diff of one file. */
  patch: string;
  path?: string;
  view?: "unified" | "split";
}

export function experimental_Diff(props: DiffProps): ReactNode {
  return runtime("experimental_Diff")(props);
}

/** The title of a thread, kept current. */
export function ThreadTitle(props: { threadId: string }): ReactNode {
  return runtime("ThreadTitle")(props);
}

export interface PluginIconProps {
  name: string;
  className?: string;
}

/** An icon by name; unknown names show the generic plugin icon. */
export function experimental_Icon(props: PluginIconProps): ReactNode {
  return runtime("experimental_Icon")(props);
}

export function experimental_ProviderIcon(props: { providerId: string; className?: string }): ReactNode {
  return runtime("experimental_ProviderIcon")(props);
}

/** Known by name only: renders nothing. */
export function experimental_ProviderModelPicker(props: { [name: string]: unknown }): ReactNode {
  return runtime("experimental_ProviderModelPicker")(props);
}

/** Known by name only: renders nothing. */
export function experimental_PermissionModePicker(props: { [name: string]: unknown }): ReactNode {
  return runtime("experimental_PermissionModePicker")(props);
}

/** Known by name only: renders nothing. */
export function experimental_BranchPicker(props: { [name: string]: unknown }): ReactNode {
  return runtime("experimental_BranchPicker")(props);
}

/** Known by name only: renders nothing. */
export function experimental_SidebarNavigationIcon(props: { [name: string]: unknown }): ReactNode {
  return runtime("experimental_SidebarNavigationIcon")(props);
}
