import { afterEach, describe, expect, test, vi } from "vitest";

import type { PluginCommand } from "#sdk/app/commands.js";
import { bindingFor, handleKey, isPluginCommandAvailable, resolveBindings, runPluginCommand } from "@/sdk_app/key_bindings";
import { chooseShortcut, choiceOf, shortcutChoicesNow } from "@/lib/shortcut_choices";
import { navigation } from "@/lib/navigation";
import { notificationsNow, clearNotifications } from "@/lib/notifications";
import { pressedKeys, type Shortcut, shortcutAria, shortcutKey, shortcutLabels } from "@/lib/shortcuts";

import { pluginWith, resetWindow } from "../shell/fixtures";

afterEach(() => {
  resetWindow();
  clearNotifications();
});

function pluginWithCommand(pluginId: string, command: Partial<PluginCommand> = {}) {
  return pluginWith(pluginId, (app) => app.commands.register({ id: "go", title: "Go", run: () => undefined, ...command }));
}

describe("shortcuts", () => {
  test("mod is Command on a Mac and Control elsewhere", () => {
    expect(shortcutKey({ key: "P", mod: true, shift: true }, false)).toBe("control+shift+p");
    expect(shortcutKey({ key: "P", mod: true, shift: true }, true)).toBe("meta+shift+p");
    expect(shortcutLabels({ key: "p", mod: true }, true)).toEqual(["⌘", "P"]);
    expect(shortcutLabels({ key: "ArrowUp", alt: true }, false)).toEqual(["Alt", "↑"]);
    expect(shortcutAria({ key: "p", control: true, shift: true }, false)).toBe("Control+Shift+P");
  });

  test("a press has the same spelling, whatever the case of the letter", () => {
    expect(pressedKeys(new KeyboardEvent("keydown", { key: "P", code: "KeyP", ctrlKey: true, shiftKey: true }))).toEqual([
      "control+shift+p",
    ]);
  });

  type Press = KeyboardEventInit & { isMac?: boolean };
  const meansOf = ({ isMac = false, ...init }: Press) => pressedKeys(new KeyboardEvent("keydown", init), isMac);

  test.each<[string, Press, string]>([
    ["Cyrillic", { key: "л", code: "KeyK", ctrlKey: true }, "control+k"],
    ["Cyrillic with Shift", { key: "З", code: "KeyP", ctrlKey: true, shiftKey: true }, "control+shift+p"],
    ["Greek", { key: "κ", code: "KeyK", ctrlKey: true }, "control+k"],
    ["a Mac with Option", { key: "˚", code: "KeyK", altKey: true, isMac: true }, "alt+k"],
    ["a German Mac with Option", { key: "@", code: "KeyL", altKey: true, isMac: true }, "alt+l"],
    ["a dead key", { key: "Dead", code: "KeyN", altKey: true, isMac: true }, "alt+n"],
    ["digits of AZERTY", { key: "&", code: "Digit1", ctrlKey: true }, "control+1"],
    ["digits of AZERTY with accents", { key: "é", code: "Digit2", ctrlKey: true }, "control+2"],
    ["a shifted digit", { key: "!", code: "Digit1", ctrlKey: true, shiftKey: true }, "control+shift+1"],
    ["a question mark asked for as Shift and /", { key: "?", code: "Slash", shiftKey: true }, "shift+/"],
    ["a question mark asked for as itself", { key: "?", code: "Slash", shiftKey: true }, "?"],
    ["a question mark of a German keyboard", { key: "?", code: "Minus", shiftKey: true }, "?"],
  ])("%s is understood", (_, press, shortcut) => expect(meansOf(press)).toContain(shortcut));

  test.each<[string, Press, string[]]>([
    ["Dvorak's letters are those that it writes", { key: "k", code: "KeyV", ctrlKey: true }, ["control+k"]],
    ["Dvorak's signs do not become letters", { key: ";", code: "KeyZ", ctrlKey: true }, ["control+;"]],
    ["with Alt too", { key: "k", code: "KeyV", altKey: true }, ["alt+k"]],
    ["and so are those of AZERTY", { key: "a", code: "KeyQ", ctrlKey: true }, ["control+a"]],
    ["named keys have no place", { key: "Enter", code: "NumpadEnter", ctrlKey: true }, ["control+enter"]],
    ["AltGr writes a sign", { key: "ą", code: "KeyA", ctrlKey: true, altKey: true }, ["control+alt+ą"]],
  ])("%s", (_, press, spellings) => expect(meansOf(press)).toEqual(spellings));

  test("the window wins over plugins, an earlier plugin over a later one; the loser is told by whom", () => {
    const run = () => undefined;
    const bindings = resolveBindings(
      [{ id: "w", title: "Palette", shortcut: { key: "p", mod: true }, run }],
      [
        pluginWithCommand("a", { defaultShortcut: { key: "P", control: true } }),
        pluginWithCommand("b", { defaultShortcut: { key: "j", mod: true } }),
        pluginWithCommand("c", { defaultShortcut: { key: "j", mod: true } }),
      ],
    );
    expect(bindings.map(({ plugin, takenBy }) => [plugin?.pluginId ?? null, takenBy])).toEqual([
      [null, null],
      ["a", "“Palette” of the window"],
      ["b", null],
      ["c", "“Go” of The b"],
    ]);
  });
});

describe("keys that the user chose", () => {
  const run = () => undefined;
  const window = { id: "w", title: "Palette", shortcut: { key: "p", mod: true }, run } as const;

  test("go before those that the window and plugins come with", () => {
    const bindings = resolveBindings([window, { id: "none", title: "Bare", run }], [pluginWithCommand("a")], {
      "plugin:a/go": { key: "p", control: true },
    });
    expect(bindings.map(({ id, shortcut, isChosen, takenBy }) => [id, shortcut, isChosen, takenBy])).toEqual([
      ["window:w", { key: "p", mod: true }, false, "“Go” of The a"],
      ["window:none", null, false, null],
      ["plugin:a/go", { key: "p", control: true }, true, null],
    ]);
  });

  test("may be none, which gives the next one its keys", () => {
    const bindings = resolveBindings([window], [pluginWithCommand("a", { defaultShortcut: { key: "p", control: true } })], {
      "window:w": null,
    });
    expect(bindings.map(({ id, shortcut, takenBy }) => [id, shortcut, takenBy])).toEqual([
      ["window:w", null, null],
      ["plugin:a/go", { key: "p", control: true }, null],
    ]);
  });

  test("are kept in this browser; what is no shortcut there is left out", () => {
    localStorage.setItem("svc.shortcuts", JSON.stringify({ a: { key: "x", alt: true }, b: 7, c: { alt: true }, d: null, e: "x" }));
    expect(shortcutChoicesNow()).toEqual({ a: { key: "x", alt: true }, d: null });
    chooseShortcut("a", undefined);
    chooseShortcut("f", { key: "y", control: true });
    expect(shortcutChoicesNow()).toEqual({ d: null, f: { key: "y", control: true } });
    chooseShortcut("d", undefined);
    chooseShortcut("f", undefined);
    expect(shortcutChoicesNow()).toEqual({});
  });

  const choice = (init: KeyboardEventInit) => choiceOf(new KeyboardEvent("keydown", init));

  test.each<[string, KeyboardEventInit, unknown]>([
    ["a letter with modifiers", { key: "J", code: "KeyJ", ctrlKey: true, shiftKey: true }, { key: "j", control: true, shift: true }],
    ["a Cyrillic letter is its key", { key: "л", code: "KeyK", ctrlKey: true }, { key: "k", control: true }],
    ["a plus", { key: "+", ctrlKey: true }, { key: "+", control: true }],
    ["a function key alone", { key: "F6" }, { key: "f6" }],
    ["a question mark is its key with Shift", { key: "?", code: "Slash", shiftKey: true }, { key: "/", shift: true }],
  ])("%s can be chosen, and the same press runs it", (_, init, shortcut) => {
    expect(choice(init)).toEqual({ shortcut });
    const chosen = resolveBindings([window], [], { "window:w": shortcut as Shortcut });
    expect(bindingFor(new KeyboardEvent("keydown", init), chosen)?.binding.id).toBe("window:w");
  });

  test.each<[string, KeyboardEventInit, RegExp]>([
    ["Enter alone", { key: "Enter" }, /needed by whatever has the focus/],
    ["an arrow alone", { key: "ArrowUp" }, /needed by whatever has the focus/],
    ["copying", { key: "c", ctrlKey: true }, /edit text/],
    ["a new tab", { key: "t", ctrlKey: true }, /browser keeps/],
  ])("%s cannot", (_, init, reason) => expect(choice(init)).toEqual({ refused: expect.stringMatching(reason) as string }));

  test("modifiers alone are not a choice yet", () => expect(choice({ key: "Control", ctrlKey: true })).toBeUndefined());
});

describe("keys", () => {
  const press = (init: KeyboardEventInit, target?: HTMLElement) => {
    const event = new KeyboardEvent("keydown", { ...init, bubbles: true, cancelable: true });
    (target ?? document.body).dispatchEvent(event);
    return event;
  };
  const bindingsOf = (command: Partial<PluginCommand>) => resolveBindings([], [pluginWithCommand("a", command)]);

  test("run the command that is bound and nothing else", () => {
    const run = vi.fn();
    const bindings = bindingsOf({ run, defaultShortcut: { key: "j", control: true } });
    expect(handleKey(press({ key: "j" }), bindings)).toBe(false);
    expect(handleKey(press({ key: "j", ctrlKey: true }), bindings)).toBe(true);
    expect(run).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ threadId: null, projectId: null }));
  });

  test("of a keyboard without Latin letters run it too", () => {
    const run = vi.fn();
    const bindings = bindingsOf({ run, defaultShortcut: { key: "k", control: true } });
    expect(handleKey(press({ key: "л", code: "KeyK", ctrlKey: true }), bindings)).toBe(true);
    // The key that is K in America writes T on a Dvorak keyboard.
    expect(handleKey(press({ key: "t", code: "KeyK", ctrlKey: true }), bindings)).toBe(false);
    expect(run).toHaveBeenCalledOnce();
  });

  test("what the keyboard writes comes before the place of the key", () => {
    const [written, placed] = [vi.fn(), vi.fn()];
    const bindings = [
      ...bindingsOf({ run: placed, defaultShortcut: { key: "2", control: true } }),
      ...bindingsOf({ run: written, defaultShortcut: { key: "é", control: true } }),
    ];
    handleKey(press({ key: "é", code: "Digit2", ctrlKey: true }), bindings);
    expect(written).toHaveBeenCalledOnce();
    expect(placed).not.toHaveBeenCalled();
  });

  test("stay text where text is written, unless a modifier is held", () => {
    const input = document.body.appendChild(document.createElement("input"));
    const plain = bindingsOf({ defaultShortcut: { key: "g" } });
    const held = bindingsOf({ defaultShortcut: { key: "g", alt: true } });
    expect(handleKey(press({ key: "g" }, input), plain)).toBe(false);
    expect(handleKey(press({ key: "g" }), plain)).toBe(true);
    expect(handleKey(press({ key: "g", altKey: true }, input), held)).toBe(true);
    input.remove();
  });

  test("that something else took are left alone", () => {
    const event = press({ key: "j", ctrlKey: true });
    event.preventDefault();
    expect(handleKey(event, bindingsOf({ defaultShortcut: { key: "j", control: true } }))).toBe(false);
  });
});

describe("plugin commands", () => {
  test("whose check throws or says no are not available", () => {
    const plugin = pluginWithCommand("a");
    const command = (isAvailable?: () => boolean) => ({ id: "x", title: "X", run: () => undefined, ...(isAvailable && { isAvailable }) });
    expect(isPluginCommandAvailable(plugin, command())).toBe(true);
    expect(
      isPluginCommandAvailable(
        plugin,
        command(() => false),
      ),
    ).toBe(false);
    expect(
      isPluginCommandAvailable(
        plugin,
        command(() => {
          throw new Error("no");
        }),
      ),
    ).toBe(false);
  });

  test("lead to pages of their plugin and elsewhere", () => {
    vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const toPanel = vi.spyOn(navigation, "toPluginPanel").mockImplementation(() => undefined);
    const toThread = vi.spyOn(navigation, "toThread").mockImplementation(() => undefined);
    const openWindow = vi.spyOn(window, "open").mockReturnValue(null);
    const opened: boolean[] = [];
    const plugin = pluginWithCommand("a", {
      run: ({ navigate }) => {
        navigate.toPluginPanel("list", { subPath: "new" });
        navigate.toThread("t1");
        opened.push(navigate.openUrl("https://example.org/"), navigate.openUrl("javascript:alert(1)"));
      },
    });
    runPluginCommand(plugin, plugin.app.commands[0]!);
    expect(toPanel).toHaveBeenCalledExactlyOnceWith("a", "list", { subPath: "new" });
    expect(toThread).toHaveBeenCalledExactlyOnceWith("t1");
    expect(openWindow).toHaveBeenCalledExactlyOnceWith("https://example.org/", "_blank", "noopener,noreferrer");
    expect(opened).toEqual([true, false]);
  });

  test.each([
    [
      "throws",
      () => {
        throw new Error("broken");
      },
    ],
    ["rejects", () => Promise.reject(new Error("broken"))],
  ])("that %s become an error notice which names the plugin", async (_, run) => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const plugin = pluginWithCommand("a", { run });
    runPluginCommand(plugin, plugin.app.commands[0]!);
    await vi.waitFor(() => expect(notificationsNow()).toHaveLength(1));
    expect(notificationsNow()[0]).toMatchObject({ kind: "error", pluginId: "a", title: "The a: “Go” failed", description: "broken" });
  });
});
