import type { Composer, ComposerPart, ComposerView } from "../app/composer.js";
import type { Mount, MountState } from "./mount.js";

const asParts = (parts: string | ComposerPart[]): ComposerPart[] => (typeof parts === "string" ? [{ type: "text", text: parts }] : parts);

function textOf(part: ComposerPart): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "quote":
      return `${part.text.replace(/^/gm, "> ")}\n\n`;
    case "mention":
      return `@${part.label}`;
  }
}

type MethodName = { [Name in keyof Composer]: Composer[Name] extends (...given: never[]) => unknown ? Name : never }[keyof Composer];
type ComposerMethods = Pick<Composer, MethodName>;

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
  const setText = (next: string) => mount.updateComposer({ text: next, mentions: next === "" ? [] : now().mentions });

  function insert(parts: string | ComposerPart[], at: "caret" | "start" | "end" = "caret"): void {
    const added = asParts(parts);
    if (at === "start") {
      setText(added.map(textOf).join("") + now().text);
      return;
    }
    for (const part of added) {
      const start = now().text.length;
      const written = textOf(part);
      const { provider, id, label } = part as Partial<Extract<ComposerPart, { type: "mention" }>>;
      mount.updateComposer({
        text: now().text + written,
        mentions:
          part.type === "mention"
            ? [...now().mentions, { provider: provider!, id: id!, label: label!, start, end: start + written.length }]
            : now().mentions,
      });
    }
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
        // A quote begins a line.
        const isWithin = now().text !== "" && !now().text.endsWith("\n");
        insert([...(isWithin ? [{ type: "text", text: "\n" } as const] : []), { type: "quote", text: quote }]);
      }
    },
    setTextEffect: (effect) => {
      mount.textEffectCalls.push(effect);
      mount.updateComposer({ textEffect: effect });
    },
    setInputLock: (locked) => mount.updateComposer({ inputLocked: locked }),
    replace: (parts) => {
      mount.updateComposer({ text: "", mentions: [] });
      insert(parts);
    },
    insert: (parts, options) => insert(parts, options?.at),
    submit,
    onSubmitted: (listener) => {
      mount.submitted.add(listener);
      return () => void mount.submitted.delete(listener);
    },
    experimental_setPluginInput: () => undefined,
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
