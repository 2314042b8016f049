import type { PluginShortcut } from "#sdk/app/commands.js";
import { ownMember } from "./own";

export type Shortcut = PluginShortcut;

const kIsMac = typeof navigator !== "undefined" && /Mac|iP(hone|ad|od)/.test(navigator.platform);

/**
 * One spelling per key press, such as `control+shift+p`, so that two shortcuts can be compared. `mod` becomes the key it
 * means on this system.
 */
export function shortcutKey(shortcut: Shortcut, isMac: boolean = kIsMac): string {
  const meta = shortcut.meta === true || (shortcut.mod === true && isMac);
  const control = shortcut.control === true || (shortcut.mod === true && !isMac);
  const parts = [control && "control", meta && "meta", shortcut.alt && "alt", shortcut.shift && "shift"];
  return [...parts.filter(Boolean), shortcut.key.toLowerCase()].join("+");
}

type KeyPress = Pick<KeyboardEvent, "key" | "code" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey"> &
  Partial<Pick<KeyboardEvent, "getModifierState">>;

/** Signs that one key of most Latin keyboards writes without and with Shift. */
const kUnshifted: { readonly [sign: string]: string } = {
  "?": "/",
  ":": ";",
  "<": ",",
  ">": ".",
  "{": "[",
  "}": "]",
  "+": "=",
  _: "-",
  "|": "\\",
  '"': "'",
  "~": "`",
};
/** What the keys of an American keyboard write, by their place; letters and digits have it in their name. */
const kPlaces: { readonly [code: string]: string } = {
  Slash: "/",
  Semicolon: ";",
  Comma: ",",
  Period: ".",
  BracketLeft: "[",
  BracketRight: "]",
  Equal: "=",
  Minus: "-",
  Backslash: "\\",
  Quote: "'",
  Backquote: "`",
};

function signAt(code: string): string | undefined {
  return (
    /^(?:Key([A-Z])|Digit(\d))$/
      .exec(code)
      ?.slice(1)
      .find((sign) => sign !== undefined) ?? kPlaces[code]
  );
}

/**
 * What was pressed in the spellings of `shortcutKey`, the most literal first. The letter that a keyboard writes counts, wherever its key
 * is, so that Dvorak and AZERTY keep theirs. Only a keyboard that writes no Latin letter there (Cyrillic, Greek, a Mac with Option held)
 * is taken by the place of the key.
 */
export function pressedKeys(event: KeyPress, isMac: boolean = kIsMac): string[] {
  const { key, code = "", ctrlKey: control, metaKey: meta, altKey: alt, shiftKey: shift } = event;
  const spell = (sign: string, isShifted = shift) => shortcutKey({ key: sign, control, meta, alt, shift: isShifted }, false);
  const spellings = [spell(key)];
  const isSign = key.length === 1 && !/[a-z0-9]/i.test(key);
  if (isSign && shift) {
    // `?` may be asked for as itself, or as Shift and `/`.
    spellings.push(spell(key, false), ...(kUnshifted[key] === undefined ? [] : [spell(kUnshifted[key])]));
  }
  const isForeign = key === "Dead" || (isSign && (key.charCodeAt(0) > 0x7e || (isMac && alt) || code.startsWith("Digit")));
  const placed = signAt(code);
  // AltGr writes a sign: Ctrl and Alt are not what its user means. On a Mac it is the name of Option.
  const isWriting = !isMac && event.getModifierState?.("AltGraph") === true;
  if (isForeign && placed !== undefined && !isWriting) {
    spellings.push(spell(placed));
  }
  return [...new Set(spellings)];
}

const kNames: { readonly [key: string]: string } = { ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→", Escape: "Esc" };

/** Keys of a shortcut as people read them: `["Ctrl", "Shift", "P"]`, `["⇧", "⌘", "P"]`. */
export function shortcutLabels(shortcut: Shortcut, isMac: boolean = kIsMac): string[] {
  const names: Record<string, string> = isMac
    ? { control: "⌃", meta: "⌘", alt: "⌥", shift: "⇧" }
    : { control: "Ctrl", meta: "Meta", alt: "Alt", shift: "Shift" };
  const key = shortcut.key.length === 1 ? shortcut.key.toUpperCase() : (ownMember(kNames, shortcut.key) ?? shortcut.key);
  const modifiers = shortcutKey({ ...shortcut, key: "" }, isMac)
    .split("+")
    .filter(Boolean);
  return [...modifiers.map((name) => names[name] ?? name), key];
}

/** For `aria-keyshortcuts`. */
export function shortcutAria(shortcut: Shortcut, isMac: boolean = kIsMac): string {
  return shortcutKey(shortcut, isMac)
    .split("+")
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join("+");
}
