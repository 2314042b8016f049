import CornerLeftUp from "lucide-react/icons/corner-left-up";
import Folder from "lucide-react/icons/folder";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useMemo, useRef, useState } from "react";

import { useDirectory } from "@/api/files";
import { isComposing } from "@/lib/composing";
import { counted } from "@/lib/format";
import { cn } from "@/ui/cn";
import { ErrorNotice } from "@/ui/error_notice";
import { Input } from "@/ui/input";
import { Loading } from "@/ui/spinner";

import { joinPath, splitTyped } from "./path";

/** Folders that are listed at once: who looks for another one types its beginning. */
const kMaxShown = 200;

interface Option {
  /** What it is called in the list; null leads up. */
  name: string | null;
  path: string;
}

export interface FolderChooserProps {
  hostId: string;
  /** The path as it is typed; empty until the home of the machine's user is known. */
  value: string;
  onChange(path: string): void;
  /** Enter, where nothing in the list is chosen. */
  onConfirm(): void;
  autoFocus?: boolean;
}

/**
 * A folder of a machine: typed, with the folders that begin like it below, or chosen from those. Arrows go through the list, Enter and Tab
 * open what is chosen in it.
 */
export function FolderChooser({ hostId, value, onChange, onConfirm, autoFocus = false }: FolderChooserProps) {
  const id = useId();
  const home = useDirectory(hostId, null, { enabled: value === "" });
  const homePath = home.data?.directory;
  // Once: a field that somebody empties stays empty.
  const [isAtStart, setAtStart] = useState(value === "");
  useEffect(() => {
    if (isAtStart && homePath !== undefined) {
      setAtStart(false);
      onChange(joinPath(homePath, ""));
    }
  }, [isAtStart, homePath, onChange]);

  const { folder, prefix } = splitTyped(value);
  const isPath = value.startsWith("/");
  const listed = useDirectory(hostId, folder, { enabled: isPath });
  const options = useMemo(() => optionsOf(listed.data?.entries ?? [], folder, prefix), [listed.data, folder, prefix]);
  const shown = options.slice(0, kMaxShown);
  const [chosen, setChosen] = useState(-1);
  const list = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [chosen]);

  const change = (path: string) => {
    setChosen(-1);
    setAtStart(false);
    onChange(path);
  };
  const open = (option: Option) => {
    change(joinPath(option.path, ""));
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) {
      return;
    }
    const option = shown[chosen];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && shown.length > 0) {
      // From the last one back to the field, and on to the first.
      setChosen((at) => ((at + 1 + step + shown.length + 1) % (shown.length + 1)) - 1);
    } else if (event.key === "Enter" && option !== undefined) {
      open(option);
    } else if (event.key === "Enter") {
      onConfirm();
    } else if (event.key === "Tab" && !event.shiftKey && completion(options, option, prefix) !== undefined) {
      open(completion(options, option, prefix)!);
    } else {
      return;
    }
    event.preventDefault();
  };
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        Folder
      </label>
      <Input
        id={id}
        ref={field}
        role="combobox"
        aria-expanded={shown.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={chosen >= 0 ? `${id}-${chosen}` : undefined}
        aria-describedby={`${id}-hint`}
        value={value}
        onChange={(event) => change(event.target.value)}
        onKeyDown={onKeyDown}
        autoFocus={autoFocus}
        autoCapitalize="none"
        autoComplete="off"
        autoCorrect="off"
        spellCheck={false}
        className="font-mono text-xs"
      />
      <p id={`${id}-hint`} className="text-xs text-muted-foreground">
        Type a path, or go through the folders below with the arrow keys; Enter opens one.
      </p>
      <State
        isPath={isPath || isAtStart}
        isPending={isPath ? listed.isPending : isAtStart && home.isPending}
        error={isPath ? listed.error : isAtStart ? home.error : null}
        onRetry={() => void (isPath ? listed : home).refetch()}
      />
      <div
        ref={list}
        id={`${id}-list`}
        role="listbox"
        aria-label="Folders"
        className={cn(
          "mt-1 h-56 overflow-y-auto rounded-md border border-border-hairline bg-surface-recessed-solid p-1",
          shown.length === 0 && "hidden",
        )}
      >
        {shown.map((option, index) => (
          // eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- keys are those of the field, which has the focus
          <div
            key={option.path + (option.name ?? "..")}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => open(option)}
            className="flex min-h-7 cursor-pointer items-center gap-2 rounded-sm px-2 text-sm hover:bg-state-hover aria-selected:bg-accent aria-selected:text-accent-foreground pointer-coarse:min-h-11 forced-colors:aria-selected:outline-2"
          >
            {option.name === null ? (
              <CornerLeftUp aria-hidden className="size-4 shrink-0 text-muted-foreground" />
            ) : (
              <Folder aria-hidden className="size-4 shrink-0 text-muted-foreground" />
            )}
            <span className="min-w-0 truncate">{option.name ?? "Folder above"}</span>
          </div>
        ))}
      </div>
      {options.length > shown.length && (
        <p className="text-xs text-muted-foreground">
          {counted(options.length - shown.length, "more folder")}. Type the beginning of its name to see it.
        </p>
      )}
    </div>
  );
}

function optionsOf(entries: readonly { name: string; path: string; kind: string }[], folder: string, prefix: string): Option[] {
  const begin = prefix.toLowerCase();
  const folders = entries.filter(
    ({ kind, name }) => kind === "directory" && name.toLowerCase().startsWith(begin) && (!name.startsWith(".") || begin.startsWith(".")),
  );
  const up: Option[] = prefix === "" && folder !== "/" ? [{ name: null, path: splitTyped(folder).folder }] : [];
  return [...up, ...folders.map(({ name, path }) => ({ name, path }))];
}

/** What Tab completes: what is chosen, else the only one that begins like what is typed. */
function completion(options: readonly Option[], chosen: Option | undefined, prefix: string): Option | undefined {
  return chosen ?? (prefix !== "" && options.length === 1 ? options[0] : undefined);
}

interface StateProps {
  isPath: boolean;
  isPending: boolean;
  error: unknown;
  onRetry(): void;
}

function State({ isPath, isPending, error, onRetry }: StateProps): ReactNode {
  if (isPending) {
    return <Loading label="Reading the folder…" />;
  }
  if (error !== null) {
    return <ErrorNotice title="The folder cannot be read" error={error} onRetry={onRetry} />;
  }
  return isPath ? null : (
    <p role="alert" className="text-sm text-destructive-text">
      Enter a path from the root, such as /home.
    </p>
  );
}
