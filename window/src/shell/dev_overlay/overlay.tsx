import { useEffect, useState } from "react";

import { locate, type Location } from "@/plugins/locate";
import { cn } from "@/ui/cn";
import { Button, Dialog, Select } from "@/ui";

import type { DevFailure } from "./dev_failures";
import { kEditors, useEditor } from "./editors";

interface OverlayProps {
  failure: DevFailure;
  onDismiss(): void;
}

/** What failed, where in the author's own sources, and the way there. */
export default function Overlay({ failure, onDismiss }: OverlayProps) {
  const location = useLocation(failure);
  const { editor, setEditor, addressOf } = useEditor();
  const [place] = location?.frames ?? [];
  const { kind, pluginName, rootDir } = failure;
  return (
    <Dialog
      open
      onOpenChange={(isOpen) => !isOpen && onDismiss()}
      title={kind === "build" ? `${pluginName} does not build` : `${pluginName} failed in this window`}
      description={kind === "build" ? "The last version that was built runs on." : undefined}
      size="lg"
      footer={
        <>
          {place !== undefined && (
            <div className="mr-auto flex items-center gap-2">
              <Select aria-label="Editor" value={editor.value} onValueChange={setEditor} options={kEditors} className="w-40" />
            </div>
          )}
          <Button onClick={onDismiss}>Dismiss</Button>
          {place !== undefined && (
            <Button asChild variant="primary">
              <a href={addressOf(rootDir, place)}>Open in editor</a>
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <pre className="max-h-48 overflow-auto font-mono text-sm whitespace-pre-wrap text-destructive-text wrap-anywhere">
          {failure.message}
        </pre>
        {place !== undefined && (
          <p className="font-mono text-xs wrap-anywhere">
            {place.file}:{place.line}:{place.column}
          </p>
        )}
        {location !== null && location.code.length > 0 && <Code location={location} />}
        <Stack failure={failure} location={location} />
      </div>
    </Dialog>
  );
}

/** Null until it is known where. */
function useLocation(failure: DevFailure): Location | null {
  const [location, setLocation] = useState<Location | null>(null);
  useEffect(() => {
    let isWanted = true;
    void locate(failure).then((found) => isWanted && setLocation(found));
    return () => {
      isWanted = false;
    };
  }, [failure]);
  return location;
}

function Code({ location: { frames, code } }: { location: Location }) {
  return (
    // Wider lines scroll, with the keyboard, too.
    <div
      role="region"
      aria-label="Source"
      tabIndex={0}
      className="overflow-x-auto rounded-md border border-border bg-surface-recessed py-2 font-mono text-xs"
    >
      <div className="w-max min-w-full">
        {code.map(({ number, text }) => {
          const isIt = number === frames[0]?.line;
          return (
            <div key={number} className={cn("flex px-3", isIt && "bg-surface-destructive font-semibold")}>
              <span className="w-14 shrink-0 pr-3 text-right whitespace-pre text-muted-foreground select-none" aria-hidden>
                {isIt ? ">" : ""} {number}
              </span>
              <code className="whitespace-pre">
                {isIt && <span className="sr-only">Line {number}: </span>}
                {text}
              </code>
            </div>
          );
        })}
      </div>
    </div>
  );
}

function Stack({ failure, location }: { failure: DevFailure; location: Location | null }) {
  const { addressOf } = useEditor();
  const frames = location?.frames ?? [];
  if (failure.kind === "build" || location === null) {
    return null;
  }
  if (frames.length === 0) {
    return failure.stack === null ? null : (
      <pre className="max-h-48 overflow-auto text-xs whitespace-pre-wrap text-muted-foreground wrap-anywhere">{failure.stack}</pre>
    );
  }
  return (
    <ol aria-label="Stack" className="flex flex-col gap-1 text-xs">
      {frames.map((frame, at) => (
        <li key={at} className="flex flex-wrap gap-x-2 font-mono">
          <span className="text-muted-foreground">{frame.name === "" ? "(anonymous)" : frame.name}</span>
          <a
            href={addressOf(failure.rootDir, frame)}
            className="min-h-6 text-link underline decoration-link/40 underline-offset-4 wrap-anywhere hover:decoration-link pointer-coarse:min-h-11"
          >
            {frame.file}:{frame.line}:{frame.column}
          </a>
        </li>
      ))}
    </ol>
  );
}
