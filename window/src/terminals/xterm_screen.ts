import "@xterm/xterm/css/xterm.css";

import { FitAddon } from "@xterm/addon-fit";
import { type ITheme, Terminal } from "@xterm/xterm";

import type { Size } from "@/api/terminals";
import { pressedKeys, type Shortcut, shortcutKey } from "@/lib/shortcuts";
import { readTokenHex } from "@/lib/token_colors";
import type { OutputSink } from "./stream";

/** Lines that can be scrolled back to. */
const kScrollback = 5000;
/** Columns and rows that the service takes. */
const kMaxSize = 1000;
/** WCAG AA, whatever colours a program chooses. */
const kContrast = 4.5;

const kCopyKeys: readonly Shortcut[] = [
  { key: "c", control: true, shift: true },
  { key: "Insert", control: true },
];
const kPasteKeys: readonly Shortcut[] = [{ key: "v", control: true, shift: true }];

const kAnsiNames = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"] as const;

function themeOfPage(): ITheme {
  const set: Record<string, string> = {};
  const add = (name: string, token: string, alpha = "") => {
    const colour = readTokenHex(token);
    if (colour !== undefined) {
      set[name] = colour + alpha;
    }
  };
  add("background", "background");
  add("foreground", "foreground");
  add("cursor", "primary");
  add("cursorAccent", "background");
  add("selectionBackground", "primary", "4d");
  add("scrollbarSliderBackground", "muted-foreground", "55");
  add("scrollbarSliderHoverBackground", "muted-foreground", "88");
  add("scrollbarSliderActiveBackground", "muted-foreground", "aa");
  kAnsiNames.forEach((name, index) => {
    add(name, `ansi-${index}`);
    add(`bright${name.charAt(0).toUpperCase()}${name.slice(1)}`, `ansi-${index + 8}`);
  });
  return set;
}

export interface ScreenEvents {
  /** What was typed or pasted. */
  onInput(input: string | Uint8Array): void;
  /** What the terminal answers to a question in what is drawn. */
  onAnswer(answer: string): void;
  onSize(size: Size): void;
  /** Somebody uses the terminal: a key, a click, or the focus comes to it. Programs that ask it something do not count. */
  onUse(): void;
  /** The keys `leave` were pressed. */
  onLeave(): void;
}

export interface ScreenOptions extends ScreenEvents {
  leave: Shortcut;
  label: string;
  /** The id of what says how to leave. */
  describedBy: string;
}

/** A terminal as it is drawn. */
export interface Screen extends OutputSink {
  focus(): void;
  /** Takes the size of its element. */
  fit(): void;
  /** Reads the tokens of the page anew. */
  followColours(): void;
  setLabel(label: string): void;
  setScreenReader(isOn: boolean): void;
  /** Keys do nothing. */
  setReadOnly(isReadOnly: boolean): void;
  /** What is selected, else all that can be scrolled to. */
  text(): string;
  paste(text: string): void;
  dispose(): void;
}

/** Draws a terminal into an element that has a size. */
export function createScreen(element: HTMLElement, options: ScreenOptions): Screen {
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const terminal = new Terminal({
    theme: themeOfPage(),
    fontFamily: getComputedStyle(element).fontFamily,
    fontSize: matchMedia("(pointer: coarse)").matches ? 14 : 13,
    cursorBlink: !isStill,
    scrollback: kScrollback,
    minimumContrastRatio: kContrast,
    macOptionIsMeta: false,
  });
  const fitting = new FitAddon();
  terminal.loadAddon(fitting);
  terminal.open(element);

  const setLabel = (label: string) => terminal.textarea?.setAttribute("aria-label", label);
  setLabel(options.label);
  terminal.textarea?.setAttribute("aria-describedby", options.describedBy);
  // On the way down: the emulator keeps the keys that it takes to itself.
  for (const event of ["focusin", "keydown", "pointerdown"] as const) {
    element.addEventListener(event, options.onUse, { capture: true });
  }

  const isOneOf = (event: KeyboardEvent, shortcuts: readonly Shortcut[]) => {
    const pressed = pressedKeys(event);
    return shortcuts.some((shortcut) => pressed.includes(shortcutKey(shortcut)));
  };
  terminal.attachCustomKeyEventHandler((event) => {
    if (isOneOf(event, [options.leave])) {
      event.preventDefault();
      event.stopPropagation();
      if (event.type === "keydown") {
        options.onLeave();
      }
      return false;
    }
    if (isOneOf(event, kCopyKeys)) {
      // The browser would open its tools for pages.
      event.preventDefault();
      if (event.type === "keydown" && terminal.hasSelection()) {
        document.execCommand("copy");
      }
      return false;
    }
    // The browser pastes into the terminal's own field.
    return !isOneOf(event, kPasteKeys);
  });
  // Questions come only while something is drawn, and an answer is not what a key has just made.
  let drawing = 0;
  let made: string | undefined;
  terminal.onKey(({ key }) => void (made = key));
  terminal.onData((data) => {
    const isAnswer = drawing > 0 && data !== made;
    made = undefined;
    (isAnswer ? options.onAnswer : options.onInput)(data);
  });
  terminal.onBinary((text) => options.onInput(Uint8Array.from(text, (character) => character.charCodeAt(0))));
  terminal.onResize(options.onSize);

  function allText(): string {
    const { active } = terminal.buffer;
    const lines: string[] = [];
    for (let index = 0; index < active.length; index += 1) {
      const line = active.getLine(index);
      const text = line?.translateToString(true) ?? "";
      if (line?.isWrapped === true && lines.length > 0) {
        lines[lines.length - 1] += text;
      } else {
        lines.push(text);
      }
    }
    return lines.join("\n").replace(/\n+$/, "\n");
  }

  return {
    write(bytes, done) {
      drawing += 1;
      terminal.write(bytes, () => {
        drawing -= 1;
        done();
      });
    },
    markGap(isStart) {
      // A program that draws the whole screen draws it again; a line of ours would only be in its way.
      if (terminal.buffer.active.type === "normal") {
        const text = isStart ? "Earlier output is not kept" : "Output is missing here: it came faster than it could be read";
        terminal.write(`${isStart ? "" : "\r\n"}\x1b[0;7m ${text} \x1b[0m\r\n`);
      }
    },
    focus: () => terminal.focus(),
    fit() {
      const size = fitting.proposeDimensions();
      if (size !== undefined && Number.isFinite(size.cols) && Number.isFinite(size.rows)) {
        terminal.resize(Math.min(kMaxSize, Math.max(2, size.cols)), Math.min(kMaxSize, Math.max(1, size.rows)));
      }
    },
    followColours: () => void (terminal.options.theme = themeOfPage()),
    setLabel,
    setScreenReader: (isOn) => void (terminal.options.screenReaderMode = isOn),
    setReadOnly: (isReadOnly) => void (terminal.options.disableStdin = isReadOnly),
    text: () => (terminal.hasSelection() ? terminal.getSelection() : allText()),
    paste: (text) => terminal.paste(text),
    dispose: () => terminal.dispose(),
  };
}
