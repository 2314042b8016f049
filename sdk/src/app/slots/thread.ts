// Parts of a thread around its messages.
import type { JsonValue } from "../../json.js";
import type { ComponentType } from "../react.js";

export interface PluginThreadHeaderActionProps {
  threadId: string;
  projectId: string;
  isCompactViewport: boolean;
}

export interface ThreadHeaderActionRegistration {
  id: string;
  title: string;
  /** The row is 48 px high, controls 28 px. One mount per visible pane. */
  component: ComponentType<PluginThreadHeaderActionProps>;
}

export interface PluginPendingInteractionProps {
  interaction: {
    id: string;
    threadId: string;
    title: string;
    /** What the server entry passed; at most 64 KiB as JSON. */
    payload: JsonValue;
    /** Epoch milliseconds. */
    createdAt: number;
    expiresAt: number | null;
  };
  /** Answers; at most 64 KiB as JSON. Rejects when it could not be delivered. */
  submit(value: JsonValue): Promise<void>;
  cancel(): Promise<void>;
}

export interface PendingInteractionRegistration {
  /** The `rendererId` that the server entry passes to `svc.ui.requestInput`. */
  id: string;
  component: ComponentType<PluginPendingInteractionProps>;
}

export interface PluginTimelineRendererProps {
  row: { id: string; kind: string; [key: string]: JsonValue };
  payload: JsonValue;
  presentation: { [key: string]: JsonValue } | null;
  thread: { id: string; projectId: string | null };
  Original: ComponentType;
  /** Older name of `Original`. */
  experimental_Original: ComponentType;
}

export interface TimelineRendererRegistration {
  /** `tool`, or `<pluginId>/<name>` with the plugin's own id. */
  kind: string;
  /** The body of the row; its header stays the window's. */
  component: ComponentType<PluginTimelineRendererProps>;
}
