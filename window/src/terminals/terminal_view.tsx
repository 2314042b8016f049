import { type Ref, useEffect, useId, useImperativeHandle, useRef, useState } from "react";

import { realtime } from "@/api/realtime";
import { resizeTerminal, type Size, type Terminal } from "@/api/terminals";
import { counted } from "@/lib/format";
import { createJoiner } from "@/lib/join";
import { mayTakeFocus } from "@/lib/first_focus";
import { notify } from "@/lib/notifications";
import { usePreference } from "@/lib/preferences";
import { createStore, useStore } from "@/lib/store";
import { useColoursVersion } from "@/lib/theme";
import { Kbd } from "@/ui/kbd";

import { createInputQueue } from "./input_queue";
import { isLive, kLeaveShortcut, kScreenReaderKey } from "./state";
import { type OutputStream, streamOutput, type StreamState } from "./stream";
import { createScreen, type Screen } from "./xterm_screen";

/** Milliseconds of quiet after which the machine is told of a new size, and the longest wait. */
const kSizeMs = 100;
const kSizeMaxMs = 500;

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
  // What a terminal wrote last before it ended or after its machine came back, and its size when it has started.
  useEffect(() => attached?.follow(), [attached, terminal.status]);
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
      <Foot stream={attached?.stream} hint={hint} isKeyed={isLive(terminal)} />
    </div>
  );
}

interface Attachment {
  screen: Screen;
  stream: OutputStream;
  /** The state of the terminal is another one. */
  follow(): void;
  detach(): void;
}

interface Latest {
  readonly current: Pick<TerminalViewProps, "terminal" | "onLeave">;
}

function attach(id: string, element: HTMLElement, describedBy: string, latest: Latest): Attachment {
  let wanted: Size | undefined;
  const sendSize = createJoiner(
    () => {
      const { terminal } = latest.current;
      const isOther = wanted !== undefined && (wanted.cols !== terminal.cols || wanted.rows !== terminal.rows);
      if (isOther && terminal.status === "running") {
        // The next change of the size, or the next click, is another try.
        resizeTerminal(id, wanted!).catch((failure: unknown) => console.warn("the machine was not told of the terminal's size", failure));
      }
    },
    { waitMs: kSizeMs, maxMs: kSizeMaxMs },
  );
  const input = createInputQueue(id, {
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
      // What is drawn again asks its questions again: nobody waits for the answers.
      if (stream.state.get().isAttached) {
        input.push(typed);
      }
    },
    onSize(size) {
      wanted = size;
      sendSize();
    },
    // Another window may have given it another size meanwhile.
    onFocus: sendSize,
    onLeave: () => latest.current.onLeave(),
  });
  const stream = streamOutput(id, screen, () => !isLive(latest.current.terminal));
  const observer = new ResizeObserver(() => screen.fit());
  observer.observe(element);
  const stopConnected = realtime.onConnected(() => stream.wake());
  return {
    screen,
    stream,
    follow() {
      stream.wake();
      sendSize();
    },
    detach() {
      stopConnected();
      observer.disconnect();
      sendSize.cancel();
      stream.stop();
      screen.dispose();
    },
  };
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
