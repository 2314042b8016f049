import ChevronRight from "lucide-react/icons/chevron-right";
import { memo } from "react";

import { Link } from "react-router";

import { paths } from "@/lib/navigation";
import { CopyButton } from "@/ui/copy_button";
import { traceText } from "@/lib/trace_text";
import { cn } from "@/ui";

import { type LogEntry, type LogLevel, logText, pluginOf } from "./log_model";

/** Longer messages are cut in a row of the list, so that they can be expanded. */
const kLong = 80;
const kCompactLong = 32;

const kLevelClasses: Readonly<Record<LogLevel, string>> = {
  debug: "text-subtle-foreground",
  info: "text-muted-foreground",
  warn: "text-warning-text",
  error: "text-destructive-text",
};

const time = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });

const full = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** `14:03:22.123` in the reader's time zone. */
function clock(at: number): string {
  return `${time.format(at)}.${String(new Date(at).getMilliseconds()).padStart(3, "0")}`;
}

/** Where another generation of the plugin begins. */
export function GenerationRow({ generation, height }: { generation: number; height: number }) {
  return (
    <div style={{ height }} className="flex items-center gap-3 px-3 text-xs text-muted-foreground">
      <span aria-hidden className="h-px flex-1 bg-border" />
      Generation {generation}
      <span aria-hidden className="h-px flex-1 bg-border" />
    </div>
  );
}

export interface LineRowProps {
  rowKey: string;
  entry: LogEntry;
  /** Of the row while it is not expanded, in pixels. */
  height: number;
  isCompact: boolean;
  isExpanded: boolean;
  onToggle(key: string): void;
}

/** One line, and on request all of it with its stack. */
export const LineRow = memo(function LineRow({ rowKey, entry, height, isCompact, isExpanded, onToggle }: LineRowProps) {
  const { message, stack, level, source, at } = entry;
  const pluginId = pluginOf(source);
  const isExpandable = stack !== null || message.includes("\n") || message.length > (isCompact ? kCompactLong : kLong);
  return (
    <div
      className={cn(
        "min-w-0 border-l-2 base:border-transparent px-2 font-mono text-xs hover:bg-state-hover",
        level === "warn" && "border-warning",
        level === "error" && "border-destructive",
      )}
    >
      <div className="flex min-w-0 items-center gap-x-2" style={{ height }}>
        {isExpandable ? (
          <button
            type="button"
            aria-expanded={isExpanded}
            aria-label={`${isExpanded ? "Collapse" : "Expand"} the line of ${clock(at)}`}
            onClick={() => onToggle(rowKey)}
            className="inline-flex size-6 shrink-0 cursor-pointer items-center justify-center rounded-sm text-muted-foreground hover:text-foreground pointer-coarse:size-11"
          >
            <ChevronRight
              aria-hidden
              className={cn("size-3.5 transition-transform motion-reduce:transition-none", isExpanded && "rotate-90")}
            />
          </button>
        ) : (
          <span aria-hidden className="size-6 shrink-0 pointer-coarse:size-11" />
        )}
        <div className={cn("flex min-w-0 flex-1 gap-x-2", isCompact ? "flex-col" : "items-center")}>
          <div className="flex shrink-0 gap-x-2">
            <time dateTime={new Date(at).toISOString()} title={full.format(at)} className="text-muted-foreground tabular-nums">
              {clock(at)}
            </time>
            <span className={cn("w-10 font-semibold uppercase", kLevelClasses[level])}>{level}</span>
            {source !== "server" && (
              <span title={source} className="max-w-32 truncate text-muted-foreground">
                [{pluginId ?? source}]
              </span>
            )}
          </div>
          <span className="min-w-0 truncate whitespace-pre">{message.split("\n", 1)[0]}</span>
        </div>
      </div>
      {isExpanded && (
        <div className="flex min-w-0 items-start gap-2 pr-1 pb-2 pl-8">
          <pre className="min-w-0 flex-1 rounded-md border border-border-hairline bg-background px-3 py-2 whitespace-pre-wrap wrap-anywhere">
            {traceText(message, stack)}
          </pre>
          <CopyButton text={() => logText([entry])} label="Copy this line" />
          {pluginId !== null && (
            <Link to={paths.pluginLogs(pluginId)} className="py-1 font-sans text-link underline-offset-2 hover:underline">
              All lines of {pluginId}
            </Link>
          )}
        </div>
      )}
    </div>
  );
});
