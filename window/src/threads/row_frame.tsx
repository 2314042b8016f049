import ChevronRight from "lucide-react/icons/chevron-right";
import { type ReactNode, useId } from "react";

import type { TimelineRowStatus } from "#sdk/records.js";

import { Icon } from "@/sdk_app/icon";
import { cn } from "@/ui/cn";
import { Spinner } from "@/ui/spinner";
import { useUnfolded } from "./thread_view";

export interface RowFrameProps {
  id: string;
  /** A name, or a sign that stands for itself. */
  icon: string;
  /** Its colour, when that is not the text's. */
  tint?: string | undefined;
  title: string;
  subject?: string | null | undefined;
  detail?: string | null | undefined;
  status: TimelineRowStatus | null;
  /** It has not begun: somebody is asked first, or has said no. `asked` is the question itself, whose title says that it waits. */
  approval?: "waiting" | "asked" | "denied" | null;
  isOpenByDefault?: boolean;
  /** Beside what opens it. */
  actions?: ReactNode;
  /** What is shown when it is open; without, there is nothing to open. */
  children?: (() => ReactNode) | undefined;
}

/** Names of icons have letters; anything else is shown as it is. */
function Sign({ name }: { name: string }) {
  return /[a-z]/i.test(name) ? (
    <Icon name={name} size={15} />
  ) : (
    <span aria-hidden className="text-xs/none">
      {name}
    </span>
  );
}

const kStatusTexts: Partial<Record<TimelineRowStatus, string>> = { error: "Failed", interrupted: "Stopped" };

/** `isWhole`: what is too long for a line has several. */
function Header({ icon, tint, title, subject = null, detail, status, approval = null, isWhole }: RowFrameProps & { isWhole: boolean }) {
  const cut = isWhole ? "min-w-0 wrap-anywhere" : "min-w-0 truncate";
  const failed = approval === "denied" ? "Denied" : status === null ? undefined : kStatusTexts[status];
  const isRunning = status === "pending" && approval === null;
  return (
    <>
      <span
        className="inline-flex size-4 shrink-0 items-center justify-center overflow-hidden text-muted-foreground"
        style={tint === undefined || isRunning || approval !== null ? undefined : { color: tint }}
      >
        {isRunning ? <Spinner className="size-3.5" /> : <Sign name={approval === null ? icon : "shield-question"} />}
      </span>
      {/* Where all of it does not fit, the subject has a line of its own. */}
      <span className="flex min-w-0 items-center gap-x-2 max-sm:flex-wrap">
        {/* Beside a subject it is a word of the window; alone it is what an agent calls what it did. */}
        <span className={cn("font-medium text-muted-foreground", subject === null ? cut : "shrink-0")}>{title}</span>
        {subject !== null && <span className={cn("font-mono text-xs text-foreground", cut)}>{subject}</span>}
        {approval === "waiting" && <span className="shrink-0 text-xs text-warning-text">Waits for you</span>}
        {failed !== undefined && (
          <span className={cn("shrink-0 text-xs", status === "error" ? "text-destructive-text" : "text-muted-foreground")}>{failed}</span>
        )}
        {detail !== null && detail !== undefined && <span className="shrink-0 text-xs text-muted-foreground tabular-nums">{detail}</span>}
      </span>
    </>
  );
}

const kHeaderClass = "flex min-h-8 w-full min-w-0 items-center gap-2 rounded-md px-2 text-left text-sm";

/** One line of what an agent did, that opens to what came of it. */
export function RowFrame(props: RowFrameProps) {
  const { id, isOpenByDefault = false, actions, children } = props;
  const [isOpen, toggle] = useUnfolded(id, isOpenByDefault);
  const bodyId = useId();
  if (children === undefined) {
    return (
      <div className={kHeaderClass}>
        <Header {...props} isWhole />
        {actions}
      </div>
    );
  }
  return (
    <div className="min-w-0">
      <div className="flex min-w-0 items-center">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={isOpen ? bodyId : undefined}
          onClick={toggle}
          className={cn(kHeaderClass, "cursor-pointer hover:bg-state-hover pointer-coarse:min-h-11")}
        >
          <Header {...props} isWhole={isOpen} />
          <ChevronRight
            aria-hidden
            className={cn("ml-auto size-3.5 shrink-0 text-subtle-foreground transition-transform", isOpen && "rotate-90")}
          />
        </button>
        {actions}
      </div>
      {isOpen && (
        <div id={bodyId} className="min-w-0 py-1 pr-2 pl-8">
          {children()}
        </div>
      )}
    </div>
  );
}
