// Parts of a message.
import type { Composer } from "../composer.js";
import type { PluginIconName } from "../icons.js";
import type { ComponentType } from "../react.js";
import type { OpenPanelOptions } from "./panel.js";

export interface PluginMessageDirectiveProps {
  /** Written by the agent: untrusted. */
  attributes: Record<string, string>;
  /** The directive as it stands in the message. */
  source: string;
  message: { id: string; threadId: string; turnId: string | null; projectId: string | null };
  /** Null where no workspace is at hand. */
  openWorkspaceFile: ((path: string) => boolean) | null;
}

export interface MessageDirectiveRegistration {
  /** Lower-case words joined by `-`. Renders `::<id>{key="value"}` of assistant messages. */
  id: string;
  component: ComponentType<PluginMessageDirectiveProps>;
}

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
  /** Only when the action was chosen for a selection. */
  selectedText?: string;
  openPanel(options: OpenPanelOptions): boolean;
  composer: Composer;
}

export interface MessageActionRegistration {
  id: string;
  title: string;
  icon?: PluginIconName;
  /** A rejection becomes an error toast. */
  run(context: PluginMessageActionContext): void | Promise<void>;
}
