import ArrowDownToLine from "lucide-react/icons/arrow-down-to-line";
import Download from "lucide-react/icons/download";
import { useId } from "react";

import { useHosts } from "@/api/hosts";
import { CopyButton } from "@/ui/copy_button";
import { counted } from "@/lib/format";
import { Button, Input, Select } from "@/ui";

import { isHostSource, kLogLevels, type LogEntry, type LogFilter, type LogLevel, logText, sourceName } from "./log_model";

export interface LogToolbarProps {
  /** Of the file that it is downloaded to, without its ending. */
  name: string;
  filter: LogFilter;
  onFilter(filter: LogFilter): void;
  sources: readonly string[];
  shown: readonly LogEntry[];
  total: number;
  isFollowing: boolean;
  onFollowing(isFollowing: boolean): void;
}

const kLevelNames: Readonly<Record<LogLevel, string>> = {
  debug: "All levels",
  info: "Info and above",
  warn: "Warnings and errors",
  error: "Errors",
};
/** No source has an empty name. */
const kAllSources = "";

/** What is shown of the log, and what can be done with that. */
export function LogToolbar({ name, filter, onFilter, sources, shown, total, isFollowing, onFollowing }: LogToolbarProps) {
  const countId = useId();
  const hosts = useHosts({ enabled: sources.some(isHostSource) }).data;
  const download = () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([logText(shown)], { type: "text/plain" }));
    link.download = `${name}.log`;
    link.click();
    URL.revokeObjectURL(link.href);
  };
  const isAll = shown.length === total;
  return (
    <div role="group" aria-label="What is shown" aria-describedby={countId} className="flex flex-wrap items-center gap-2 px-4 pb-3 md:px-6">
      <Input
        type="search"
        aria-label="Search the log"
        placeholder="Search the log"
        value={filter.text}
        onChange={(event) => onFilter({ ...filter, text: event.target.value })}
        className="min-w-36 flex-1 basis-full sm:max-w-xs sm:basis-36"
      />
      <Select
        aria-label="Level"
        className="w-auto min-w-32 flex-1 sm:flex-none"
        value={filter.level}
        onValueChange={(level) => onFilter({ ...filter, level: level as LogLevel })}
        options={kLogLevels.map((level) => ({ value: level, label: kLevelNames[level] }))}
      />
      <Select
        aria-label="Source"
        className="w-auto min-w-32 flex-1 sm:flex-none"
        value={filter.source ?? kAllSources}
        onValueChange={(source) => onFilter({ ...filter, source: source === kAllSources ? null : source })}
        options={[
          { value: kAllSources, label: "All sources" },
          ...sources.map((source) => ({ value: source, label: sourceName(source, hosts) })),
        ]}
      />
      <Button size="sm" aria-pressed={isFollowing} className="aria-pressed:bg-state-active" onClick={() => onFollowing(!isFollowing)}>
        <ArrowDownToLine aria-hidden />
        Follow
      </Button>
      <CopyButton isLabelled label={isAll ? "Copy" : "Copy shown"} disabled={shown.length === 0} text={() => logText(shown)} />
      <Button size="sm" disabled={shown.length === 0} onClick={download}>
        <Download aria-hidden />
        Download
      </Button>
      <span id={countId} className="text-xs text-muted-foreground tabular-nums">
        {isAll ? counted(total, "line") : `${shown.length.toLocaleString("en")} of ${counted(total, "line")}`}
      </span>
    </div>
  );
}
