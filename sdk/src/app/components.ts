import type { EnvironmentIntent, PermissionMode, ReasoningLevel, ServiceTier } from "../records.js";
import type { NewThreadRequest } from "./new_thread_request.js";
import { runtime } from "./runtime.js";
import type { PluginIconName } from "./icons.js";
import type { AnchorProps, ReactNode } from "./react.js";
import type { PluginMessageActionContext } from "./slots/message.js";
import type { PluginFileSource } from "./slots/files.js";

// Behaviour only the window has. For everything else plugins own the source of their components.

/** Props of `Markdown`. */
export interface MarkdownProps {
  /** GitHub flavoured Markdown with math; HTML is sanitised. */
  content: string;
  className?: string;
}

/** Renders Markdown as messages do, code in the current code theme. */
export function Markdown(props: MarkdownProps): ReactNode {
  return runtime("Markdown")(props);
}

/** Older name of `Markdown`. */
export const experimental_Markdown: typeof Markdown = (props) => runtime("experimental_Markdown")(props);

/** Props of `ThreadChat`. */
export interface ThreadChatProps {
  threadId: string;
  /** `timeline` has no composer. Default `full`. */
  variant?: "full" | "compact" | "timeline";
  /** Default `contained`: scrolls by itself. */
  layout?: "contained" | "document";
  /** Another value moves focus to the composer. */
  focusRequest?: number;
  /** Default `inherit`: shows the permission mode without a choice. */
  permissionPolicy?: "inherit" | "editable";
  className?: string;
  /** Stands above the messages. */
  leadingContent?: ReactNode;
  /** Shown in the bar of each message, of this chat only. */
  messageActions?: ThreadChatMessageAction[];
}

/** The message an action is run for. */
export type ThreadChatMessageReference = PluginMessageActionContext["message"];

/** An icon in the bar of the messages of one `ThreadChat`. */
export interface ThreadChatMessageAction {
  id: string;
  title: string;
  icon?: PluginIconName;
  /** Default: both. */
  roles?: ("user" | "assistant")[];
  /** A rejection becomes an error toast. */
  run(message: ThreadChatMessageReference): void | Promise<void>;
}

/** A thread with its composer. */
export function ThreadChat(props: ThreadChatProps): ReactNode {
  return runtime("ThreadChat")(props);
}

/** Older name of `ThreadChat`. */
export const experimental_ThreadChat: typeof ThreadChat = (props) => runtime("experimental_ThreadChat")(props);

/** A link: keeps modifier clicks and adds a safe `rel` when it opens a new target. */
export function UrlLink(props: AnchorProps): ReactNode {
  return runtime("UrlLink")(props);
}

/** Props of `experimental_Dialog`. */
export interface PluginDialogProps {
  open: boolean;
  /** Called with false at Escape, at the close button and at a press beside the dialog; it stays open until `open` is false. */
  onOpenChange(open: boolean): void;
  title: string;
  description?: string;
  children?: ReactNode;
}

/** A centred dialog; on compact viewports a drawer from the bottom. */
export function experimental_Dialog(props: PluginDialogProps): ReactNode {
  return runtime("experimental_Dialog")(props);
}

/**
 * `default*` are seeds: when the value of one changes, the selections start again from them. One that does not exist any more falls
 * back to the project's default.
 */
export interface NewThreadComposerProps {
  /** Instead of creating the thread. The draft is cleared when it resolves, and kept when it throws. */
  onSubmit?(request: NewThreadRequest): void | Promise<void>;
  /** Default: the personal project. */
  defaultProjectId?: string;
  defaultProviderId?: string;
  defaultModel?: string;
  defaultReasoningLevel?: ReasoningLevel;
  defaultServiceTier?: ServiceTier;
  defaultPermissionMode?: PermissionMode;
  defaultEnvironment?: EnvironmentIntent;
  /** For an empty draft only. */
  initialPrompt?: string;
  placeholder?: string;
  /** Default `contained`. `document`: the field grows with its text. */
  layout?: "contained" | "document";
  /** Another value moves focus to the composer. */
  focusRequest?: number;
  /** Names the draft that this tab keeps; default: one per plugin. */
  draftKey?: string;
  className?: string;
  /** Older name of `defaultProjectId`. */
  projectId?: string;
  /** Without `onSubmit`: the thread that the window created. Default: it is shown. */
  onCreated?(threadId: string): void;
}

/**
 * The prompt of a new thread, with attachments and the choices of project, environment, model and permission mode. `onSubmit` gets what
 * was written and chosen; without it the window creates the thread.
 */
export function experimental_NewThreadComposer(props: NewThreadComposerProps): ReactNode {
  return runtime("experimental_NewThreadComposer")(props);
}

/** Props of `experimental_FileLink`. */
export interface FileLinkProps {
  /** Absolute for a file of a machine, else relative to what `source` names. */
  path: string;
  /** Default: a file of the server's machine. */
  source?: PluginFileSource;
  /** Counts from 1. */
  line?: number;
  /** Default: the path, with the line. */
  children?: ReactNode;
}

/** Opens the file's preview. */
export function experimental_FileLink(props: FileLinkProps): ReactNode {
  return runtime("experimental_FileLink")(props);
}

/** Props of `experimental_SourceCode`. */
export interface SourceCodeProps {
  content: string;
  /** Decides the language. */
  path?: string;
  /** Lines count from 1; `end` is included. */
  highlightedLines?: { start: number; end: number };
}

/** Source code with highlighting and line numbers, by the plugin that fills `experimental_sourceCodeRenderer` when there is one. */
export function experimental_SourceCode(props: SourceCodeProps): ReactNode {
  return runtime("experimental_SourceCode")(props);
}

/** Props of `experimental_Diff`. */
export interface DiffProps {
  /** A unified diff of one file. */
  patch: string;
  /** Decides the language. */
  path?: string;
  /** Default `unified`. `split`: the old file beside the new one. */
  view?: "unified" | "split";
}

/** The changes of one file, by the plugin that fills `experimental_diffRenderer` when there is one. */
export function experimental_Diff(props: DiffProps): ReactNode {
  return runtime("experimental_Diff")(props);
}

/** The title of a thread, kept current. */
export function ThreadTitle(props: { threadId: string }): ReactNode {
  return runtime("ThreadTitle")(props);
}

/** Props of `experimental_Icon`. */
export interface PluginIconProps {
  /** As `PluginIconName`. */
  name: string;
  className?: string;
}

/** An icon by name; unknown names show the generic plugin icon. */
export function experimental_Icon(props: PluginIconProps): ReactNode {
  return runtime("experimental_Icon")(props);
}

/** The icon that a plugin registered for an agent provider, else the usual one of agents. */
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
