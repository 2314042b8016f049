// Parts of a message.
import type { Composer } from "../composer.js";
import type { PluginIconName } from "../icons.js";
import type { ComponentType } from "../react.js";
import type { OpenPanelOptions } from "./panel.js";

/** Props of the component that stands for a directive of an assistant's message. */
export interface PluginMessageDirectiveProps {
  /** Written by the agent: untrusted. */
  attributes: Record<string, string>;
  /** The directive as it stands in the message. */
  source: string;
  message: { id: string; threadId: string; turnId: string | null; projectId: string | null };
  /** Null where no workspace is at hand. */
  openWorkspaceFile: ((path: string) => boolean) | null;
}

/** A directive that agents may write into their messages, as `slots.messageDirective` takes it. */
export interface MessageDirectiveRegistration {
  /** Lower-case words joined by `-`. Renders `::<id>{key="value"}` of assistant messages. */
  id: string;
  component: ComponentType<PluginMessageDirectiveProps>;
}

/** What `run` of a `messageAction` gets: the message it was chosen for, and the composer of its thread. */
export interface PluginMessageActionContext {
  threadId: string;
  message: {
    id: string;
    threadId: string;
    role: "user" | "assistant";
    text: string;
    /** Last event of the thread that the message holds. */
    sourceSeqEnd: number;
  };
  /** Only when the action was chosen in the menu of selected text: that text as it is seen, without Markdown. */
  selectedText?: string;
  /** Opens a tab of the right panel. False when declined; the reason is logged. */
  openPanel(options: OpenPanelOptions): boolean;
  composer: Composer;
}

/** An action on messages, as `slots.messageAction` takes it. */
export interface MessageActionRegistration {
  id: string;
  title: string;
  icon?: PluginIconName;
  /** A rejection becomes an error toast. */
  run(context: PluginMessageActionContext): void | Promise<void>;
}
