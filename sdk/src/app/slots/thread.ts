// Parts of a thread around its messages.
import type { JsonValue } from "../../json.js";
import type { ComponentType } from "../react.js";

/** Props of a control in the header row of a thread. */
export interface PluginThreadHeaderActionProps {
  threadId: string;
  projectId: string;
  isCompactViewport: boolean;
}

/** A control at the left end of a thread's header row, as `slots.experimental_threadHeaderAction` takes it. */
export interface ThreadHeaderActionRegistration {
  id: string;
  title: string;
  /** The row is 48 px high, controls 28 px. One mount per visible pane. */
  component: ComponentType<PluginThreadHeaderActionProps>;
}

/** Props of the form that shows what `svc.ui.requestInput` asks. */
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
  /** Ends the form; the server entry gets the outcome `cancelled` with the reason `user`. */
  cancel(): Promise<void>;
}

/** A form for the questions of the server entry, as `slots.pendingInteraction` takes it. */
export interface PendingInteractionRegistration {
  /** The `rendererId` that the server entry passes to `svc.ui.requestInput`. */
  id: string;
  component: ComponentType<PluginPendingInteractionProps>;
}

/** Props of the component that shows the body of a tool's row in the timeline. */
export interface PluginTimelineRendererProps {
  row: { id: string; kind: string; [key: string]: JsonValue };
  /** The call: `toolName`, `toolArgs` (null when there are none) and `output`. */
  payload: JsonValue;
  /** What the tool said of its look; null when it said nothing. */
  presentation: { [key: string]: JsonValue } | null;
  thread: { id: string; projectId: string | null };
  /** The built-in body of the row. */
  Original: ComponentType;
  /** Older name of `Original`. */
  experimental_Original: ComponentType;
}

/** Shows the bodies of tools' rows in the timeline, as `slots.experimental_timelineRenderer` takes it. */
export interface TimelineRendererRegistration {
  /** `tool`, or `<pluginId>/<name>` with the plugin's own id. */
  kind: string;
  /** The body of the row; its header stays the window's. */
  component: ComponentType<PluginTimelineRendererProps>;
}
