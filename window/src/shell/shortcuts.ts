import type { PluginShortcut } from "#sdk/app/commands.js";

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

/** What was pressed, in the spelling of `shortcutKey`. */
export function pressedKey(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">): string {
  return shortcutKey(
    { key: event.key, control: event.ctrlKey, meta: event.metaKey, alt: event.altKey, shift: event.shiftKey },
    false,
  );
}

/** Keys of a shortcut as people read them: `["Ctrl", "Shift", "P"]`, `["⇧", "⌘", "P"]`. */
export function shortcutLabels(shortcut: Shortcut, isMac: boolean = kIsMac): string[] {
  const names: Record<string, string> = isMac
    ? { control: "⌃", meta: "⌘", alt: "⌥", shift: "⇧" }
    : { control: "Ctrl", meta: "Meta", alt: "Alt", shift: "Shift" };
  const key = shortcut.key.length === 1 ? shortcut.key.toUpperCase() : shortcut.key;
  const modifiers = shortcutKey({ ...shortcut, key: "" }, isMac).split("+").filter(Boolean);
  return [...modifiers.map((name) => names[name] ?? name), key];
}

/** For `aria-keyshortcuts`. */
export function shortcutAria(shortcut: Shortcut, isMac: boolean = kIsMac): string {
  return shortcutKey(shortcut, isMac)
    .split("+")
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join("+");
}
