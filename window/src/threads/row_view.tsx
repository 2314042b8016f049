import type { JsonValue } from "#sdk/json.js";
import type { TimelineRow } from "#sdk/records.js";

import { AssistantRowView, UserRowView } from "./message_row";
import { Output } from "./output";
import { RowFrame } from "./row_frame";
import { SystemRowView } from "./system_row";
import { type ShownRow, useShownRow } from "./thread_view";
import { EndBelow } from "./turn_failure";
import { TurnRowView } from "./turn_row";
import { WorkRowView } from "./work_row";

/** One row, by its kind; a kind of a newer service is shown as what it is. */
export function RowView({ row, text, isStreaming }: ShownRow) {
  switch (row.kind) {
    case "conversation":
      return row.role === "user" ? (
        <UserRowView row={row} />
      ) : (
        <AssistantRowView row={row} text={text} isStreaming={isStreaming} length={text?.length ?? 0} />
      );
    case "turn":
      return <TurnRowView row={row} />;
    case "work":
      return <WorkRowView row={row} text={text} isStreaming={isStreaming} length={text?.length ?? 0} />;
    case "system":
      return <SystemRowView row={row} />;
    default: {
      const { id, kind } = row as { id: string; kind: string };
      return (
        <RowFrame id={id} icon="circle-dashed" title={kind} status={null}>
          {() => <Output text={JSON.stringify(row as JsonValue, null, 2)} label="What the service says" />}
        </RowFrame>
      );
    }
  }
}

/** A row of the timeline by its id. */
export function TimelineRowView({ id }: { id: string }) {
  const shown = useShownRow(id);
  return shown === null ? null : (
    <>
      <RowView {...shown} />
      {canEndTurn(shown.row) && <EndBelow id={id} />}
    </>
  );
}

/** What the service lets stand last in a finished turn. */
const canEndTurn = (row: TimelineRow): boolean => row.kind === "turn" || (row.kind === "conversation" && row.role === "assistant");
