import { type Ref, useEffect, useId, useImperativeHandle, useRef, useState } from "react";

import { realtime } from "@/api/realtime";
import type { Size, Terminal } from "@/api/terminals";
import { counted } from "@/lib/format";
import { mayTakeFocus } from "@/lib/first_focus";
import { notify } from "@/lib/notifications";
import { usePreference } from "@/lib/preferences";
import { createStore, useStore } from "@/lib/store";
import { useColoursVersion } from "@/lib/theme";
import { Banner } from "@/ui/banner";
import { Button } from "@/ui/button";
import { Kbd } from "@/ui/kbd";

import { createInputQueue } from "./input_queue";
import { createSharedSize, type SharedSize } from "./shared_size";
import { isLive, kLeaveShortcut, kScreenReaderKey } from "./state";
import { type OutputStream, streamOutput, type StreamState } from "./stream";
import { createScreen, type Screen } from "./xterm_screen";

/** What the frame around a terminal can ask of it. */
export interface TerminalHandle {
  focus(): void;
  /** What is selected, else everything. */
  text(): string;
  paste(text: string): void;
}

export interface TerminalViewProps {
  terminal: Terminal;
  /** The keys that lead out of the terminal were pressed. */
  onLeave(): void;
  handle: Ref<TerminalHandle>;
  /** Whether it is what its page is for: then what is typed goes to it at once. */
  takesFocus?: boolean;
}

const kNotYet = createStore<StreamState>({ isAttached: false, gaps: 0, failure: null, isGone: false });

const kOwnSize = createStore<Size | null>(null);

const labelOf = ({ title }: Terminal) => `Terminal ${title}`;

/** One terminal, attached while it is shown. Another terminal needs another `key`. */
export default function TerminalView({ terminal, onLeave, handle, takesFocus = false }: TerminalViewProps) {
  const hint = useId();
  const element = useRef<HTMLDivElement>(null);
  const latest = useRef({ terminal, onLeave });
  useEffect(() => {
    latest.current = { terminal, onLeave };
  });
  const { id } = terminal;
  const [attached, setAttached] = useState<Attachment>();
  const [isScreenReader] = usePreference<boolean>(kScreenReaderKey, false);
  const colours = useColoursVersion();
  const isReadOnly = terminal.status !== "running";
  const label = labelOf(terminal);

  useEffect(() => {
    const attachment = attach(id, element.current!, hint, latest);
    setAttached(attachment);
    return () => {
      attachment.detach();
      setAttached(undefined);
    };
  }, [id, hint]);
  useEffect(() => attached?.screen.followColours(), [attached, colours]);
  useEffect(() => attached?.screen.setScreenReader(isScreenReader), [attached, isScreenReader]);
  useEffect(() => attached?.screen.setReadOnly(isReadOnly), [attached, isReadOnly]);
  useEffect(() => attached?.screen.setLabel(label), [attached, label]);
  // What a terminal wrote last before it ended or after its machine came back.
  useEffect(() => attached?.stream.wake(), [attached, terminal.status]);
  useEffect(() => attached?.size.follow(), [attached, terminal.status, terminal.cols, terminal.rows]);
  useEffect(() => {
    if (attached !== undefined && takesFocus && mayTakeFocus()) {
      attached.screen.focus();
    }
  }, [attached, takesFocus]);
  useImperativeHandle(
    handle,
    () => ({
      focus: () => attached?.screen.focus(),
      text: () => attached?.screen.text() ?? "",
      paste: (text) => attached?.screen.paste(text),
    }),
    [attached],
  );
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="min-h-0 flex-1 overflow-hidden bg-background py-2 pl-3">
        <div ref={element} data-terminal={id} className="h-full font-mono" />
      </div>
      <SizeOfOthers size={attached?.size} />
      <Foot stream={attached?.stream} hint={hint} isKeyed={isLive(terminal)} />
    </div>
  );
}

interface Attachment {
  screen: Screen;
  stream: OutputStream;
  size: SharedSize;
  detach(): void;
}

interface Latest {
  readonly current: Pick<TerminalViewProps, "terminal" | "onLeave">;
}

function attach(id: string, element: HTMLElement, describedBy: string, latest: Latest): Attachment {
  const size = createSharedSize(id, () => latest.current.terminal);
  const input = createInputQueue(id, {
    isHeld: true,
    onSent: () => stream.wake(),
    onFailure: (failure) =>
      notify({
        kind: "error",
        title: "What you typed did not reach the terminal",
        description: failure instanceof Error ? failure.message : String(failure),
      }),
  });
  const screen = createScreen(element, {
    leave: kLeaveShortcut,
    label: labelOf(latest.current.terminal),
    describedBy,
    onInput(typed) {
      const { isAttached, failure } = stream.state.get();
      // Nobody can say when its output can be read: keys that come much later are worse than none.
      if (isAttached || failure === null) {
        input.push(typed);
      }
    },
    onAnswer(answer) {
      // What is drawn again asks its questions again: nobody waits for the answers.
      if (stream.state.get().isAttached) {
        input.push(answer);
      }
    },
    onSize: size.want,
    onUse: size.use,
    onLeave: () => latest.current.onLeave(),
  });
  const stream = streamOutput(id, screen, () => !isLive(latest.current.terminal));
  // Who opens a terminal types at once: that waits until its screen is as the program left it.
  const stopInput = stream.state.subscribe(() => {
    if (stream.state.get().isAttached) {
      input.release();
    } else {
      input.drop();
    }
  });
  const observer = new ResizeObserver(() => screen.fit());
  observer.observe(element);
  const stopConnected = realtime.onConnected(() => stream.wake());
  return {
    screen,
    stream,
    size,
    detach() {
      stopConnected();
      stopInput();
      observer.disconnect();
      size.stop();
      stream.stop();
      screen.dispose();
    },
  };
}

/** Why lines break elsewhere than here. */
function SizeOfOthers({ size }: { size: SharedSize | undefined }) {
  const others = useStore(size?.others ?? kOwnSize);
  return others === null ? null : (
    <Banner
      role="status"
      className="rounded-none border-x-0 border-b-0"
      title={`Another window has set the size of this terminal: ${others.cols} × ${others.rows}`}
      actions={
        <Button size="sm" onClick={() => size?.use()}>
          Use the size of this one
        </Button>
      }
    >
      It takes the size of the window that is used.
    </Banner>
  );
}

/** How to leave, and what is wrong with what is shown. */
function Foot({ stream, hint, isKeyed }: { stream: OutputStream | undefined; hint: string; isKeyed: boolean }) {
  const { gaps, failure, isGone, isAttached } = useStore(stream?.state ?? kNotYet);
  return (
    <div className="flex min-h-8 flex-wrap items-center justify-between gap-x-4 border-t border-border-hairline px-3 py-1 text-xs text-muted-foreground">
      <p id={hint}>
        {isKeyed ? (
          <>
            Tab goes to the terminal. <Kbd shortcut={kLeaveShortcut} /> leaves it.
          </>
        ) : (
          "What it has written can be read and copied."
        )}
      </p>
      <p role="status">
        {isGone
          ? "What it has written is not kept any more."
          : failure !== null
            ? "Its output cannot be read at the moment. It is tried again."
            : !isAttached
              ? "Reading its output…"
              : gaps > 0
                ? `Output is missing in ${counted(gaps, "place")}: it came faster than it could be read.`
                : ""}
      </p>
    </div>
  );
}
