import type { Composer, ComposerMention, ComposerPart, ComposerView } from "../app/composer.js";
import { applyEdit, breaksAround, editBetween, moveMentions, renderParts, type TextEdit } from "../app_policy/composer_text.js";
import { findJsonProblem } from "../json_problem.js";
import type { Mount, MountState } from "./mount.js";

type MethodName = { [Name in keyof Composer]: Composer[Name] extends (...given: never[]) => unknown ? Name : never }[keyof Composer];
type ComposerMethods = Pick<Composer, MethodName>;

type InsertOptions = NonNullable<Parameters<Composer["insert"]>[1]>;

/** One set of functions for each mount, as in the window. */
const methods = new WeakMap<Mount, ComposerMethods>();

function methodsOf(mount: Mount): ComposerMethods {
  const known = methods.get(mount) ?? makeMethods(mount);
  methods.set(mount, known);
  return known;
}

/** The composer of a mount as it is now; the caret is always at the end. */
export function composerOf(mount: Mount, state: MountState): Composer {
  const { scope, text, mentions, attachmentCount } = state.composer;
  return {
    scope,
    text,
    isEmpty: text === "",
    attachmentCount,
    isRunning: false,
    isSubmitting: false,
    key: JSON.stringify(scope),
    layout: "expanded",
    isSubmittingBlocked: false,
    submittingBlockedReason: null,
    draft: { text, mentions: [...mentions] },
    selection: { start: text.length, end: text.length },
    ...methodsOf(mount),
  };
}

function makeMethods(mount: Mount): ComposerMethods {
  const now = () => mount.state.composer;
  /** A change of a plugin: mentions that it does not touch stay. */
  function write(edit: TextEdit, added: readonly ComposerMention[]): void {
    const { text, mentions } = now();
    const all = [...moveMentions(mentions, edit), ...added].sort((one, other) => one.start - other.start);
    mount.updateComposer({ text: applyEdit(text, edit), mentions: all });
  }
  const setText = (next: string) => write(editBetween(now().text, String(next)), []);

  function insert(parts: string | ComposerPart[], { at = "caret", block = false }: InsertOptions = {}): void {
    const { text } = now();
    const start = at === "start" ? 0 : text.length;
    const range = { start, end: start };
    const { before, after } = block ? breaksAround(text, range) : { before: "", after: "" };
    const { text: added, mentions } = renderParts(parts, text.slice(0, start) + before);
    write({ ...range, inserted: before + added + after }, mentions);
  }

  async function submit(): Promise<boolean> {
    if (now().text.trim() === "" && now().attachmentCount === 0) {
      return false;
    }
    mount.updateComposer({ text: "", mentions: [], attachmentCount: 0 });
    mount.submitted.forEach((listener) => listener());
    return true;
  }

  return {
    setText,
    updateText: (update) => setText(update(now().text)),
    clear: () => setText(""),
    focus: () => void mount.focusCount++,
    insertMention: (mention) => insert([{ type: "mention", ...mention }]),
    addQuote: (quote) => {
      if (quote.trim() !== "") {
        insert([{ type: "quote", text: quote }]);
      }
    },
    setTextEffect: (effect) => {
      mount.textEffectCalls.push(effect);
      mount.updateComposer({ textEffect: effect });
    },
    setInputLock: (locked) => mount.updateComposer({ inputLocked: locked }),
    replace: (parts) => {
      const { text, mentions } = renderParts(parts, "");
      write({ start: 0, end: now().text.length, inserted: text }, mentions);
    },
    insert,
    submit,
    onSubmitted: (listener) => {
      mount.submitted.add(listener);
      return () => void mount.submitted.delete(listener);
    },
    experimental_setPluginInput: (value) => {
      const problem = findJsonProblem(value, "$value");
      if (problem !== undefined) {
        throw new TypeError(`experimental_setPluginInput: ${problem}`);
      }
    },
    experimental_submit: async (options) => {
      await options?.holdUntil;
      return submit();
    },
    experimental_openPopup: () => false,
    experimental_closePopup: () => undefined,
    setThreadRowStatus: () => undefined,
  };
}

export function composerViewOf({ composer }: MountState): ComposerView {
  const { scope, text, attachmentCount } = composer;
  return {
    scope,
    layout: "expanded",
    draft: { text, isEmpty: text === "", attachmentCount },
    run: { isRunning: false, isSubmitting: false },
  };
}
