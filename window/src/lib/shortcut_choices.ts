import { pressedKeys, type Shortcut } from "./shortcuts";
import { readPreference, subscribePreference, writePreference } from "./preferences";
import { useSyncExternalStore } from "react";

/** Keys that the user chose, by binding; null for a binding that is to have none. */
export type ShortcutChoices = { readonly [bindingId: string]: Shortcut | null };

const kPreference = "shortcuts";
const kNone: { [bindingId: string]: { [member: string]: boolean | string } | null } = {};

type Stored = typeof kNone;

/** What is stored may be of another version, or of a hand: only what is a shortcut counts. */
function valid(stored: Stored): ShortcutChoices {
  return Object.fromEntries(
    Object.entries(stored).filter(([, choice]) => choice === null || (typeof choice === "object" && typeof choice.key === "string")),
  ) as ShortcutChoices;
}

let last: { stored: Stored; choices: ShortcutChoices } | undefined;

export function shortcutChoicesNow(): ShortcutChoices {
  const stored = readPreference(kPreference, kNone);
  if (last?.stored !== stored) {
    last = { stored, choices: valid(stored) };
  }
  return last.choices;
}

export function useShortcutChoices(): ShortcutChoices {
  return useSyncExternalStore((listener) => subscribePreference(kPreference, listener), shortcutChoicesNow);
}

/** Undefined gives a binding back what it comes with. */
export function chooseShortcut(bindingId: string, choice: Shortcut | null | undefined): void {
  const { [bindingId]: _, ...others } = readPreference(kPreference, kNone);
  const next = choice === undefined ? others : { ...others, [bindingId]: choice === null ? null : { ...choice } };
  writePreference(kPreference, Object.keys(next).length === 0 ? undefined : next);
}

export function forgetShortcutChoices(): void {
  writePreference(kPreference, undefined);
}

const kModifiers = new Set(["Control", "Shift", "Alt", "Meta", "AltGraph", "CapsLock", "Fn", "NumLock", "Dead", "Process", "Unidentified"]);
/** Keys that move, write or press: alone they belong to whatever has the focus. */
const kPlain = /^(enter| |tab|escape|backspace|delete|insert|home|end|pageup|pagedown|arrow(up|down|left|right))$/;
const kEditing = /^(control|meta)\+(a|c|v|x|z|shift\+z)$/;
const kOfBrowser = /^(control|meta)\+(shift\+)?(n|t|w|q|r|l)$/;

/** What a press means as a choice: a shortcut, why it cannot be one, or undefined while only modifiers are held. */
export function choiceOf(event: KeyboardEvent): { shortcut: Shortcut } | { refused: string } | undefined {
  if (kModifiers.has(event.key)) {
    return undefined;
  }
  // The last spelling goes by the place of the key, where the keyboard writes no Latin letter.
  const spelled = pressedKeys(event).at(-1) ?? "";
  const [, control, meta, alt, shift, key] = /^(control\+)?(meta\+)?(alt\+)?(shift\+)?(.+)$/s.exec(spelled) ?? [];
  if (key === undefined) {
    return undefined;
  }
  const isPlain = control === undefined && meta === undefined && alt === undefined;
  if (isPlain && kPlain.test(key)) {
    return { refused: "That key alone is needed by whatever has the focus. Add Ctrl or Alt." };
  }
  if (kEditing.test(spelled)) {
    return { refused: "Those keys edit text. Choose others." };
  }
  if (kOfBrowser.test(spelled)) {
    return { refused: "The browser keeps those keys for itself. Choose others." };
  }
  return {
    shortcut: {
      key,
      ...(control === undefined ? {} : { control: true }),
      ...(meta === undefined ? {} : { meta: true }),
      ...(alt === undefined ? {} : { alt: true }),
      ...(shift === undefined ? {} : { shift: true }),
    },
  };
}
