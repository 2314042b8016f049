import { replaceEqualDeep } from "@tanstack/react-query";

import type { PluginComposerScope } from "#sdk/app/composer.js";
import type { JsonValue } from "#sdk/json.js";
import type { MentionResource } from "#sdk/records.js";

import { createStore } from "@/lib/store";
import type { ComposerAttachment } from "./attachments";
import {
  applyEdit,
  breaksAround,
  clampRange,
  editBetween,
  moveMentions,
  renderParts,
  type OwnedMention,
  type OwnedPart,
  type TextEdit,
  type TextRange,
} from "#sdk/app_policy/composer_text.js";

/** Who holds a lock or an effect: the mount of a plugin. */
export interface ComposerOwner {
  readonly pluginId: string;
  readonly name: string;
}

export interface OwnedEffect {
  readonly owner: ComposerOwner;
  readonly className: string;
}

export interface ComposerDraft {
  readonly text: string;
  readonly mentions: readonly OwnedMention[];
  readonly attachments: readonly ComposerAttachment[];
}

/** Replaced as a whole with each change, so that a snapshot stays what it was. */
export interface ComposerState extends ComposerDraft {
  /** Null until the editor had the focus. */
  readonly selection: TextRange | null;
  readonly scope: PluginComposerScope;
  readonly isRunning: boolean;
  readonly isSubmitting: boolean;
  /** Why the last message was not sent; ends with the next attempt. */
  readonly failure: string | null;
  readonly locks: readonly ComposerOwner[];
  readonly effects: readonly OwnedEffect[];
  /** What plugins send along, by plugin id. */
  readonly pluginInput: { readonly [pluginId: string]: JsonValue };
}

export interface ComposerMessage extends ComposerDraft {
  readonly pluginInput: { readonly [pluginId: string]: JsonValue };
}

/** Sends a message. A rejection's message is shown and the draft stays. */
export type ComposerSubmit = (message: ComposerMessage) => Promise<void>;

/** The parts of the editor that only the page has. */
export interface ComposerEditor {
  focus(): void;
  /** Shows a selection that did not come from the keyboard. */
  select(range: TextRange): void;
}

export interface ComposerModelOptions {
  key: string;
  scope: PluginComposerScope;
  draft?: ComposerDraft;
  submit: ComposerSubmit;
}

/** One composer: its draft and what happens to it. Lives as long as the composer is on screen. */
export class ComposerModel {
  readonly key: string;
  readonly #store;
  readonly #submitted = new Set<() => void>();
  #send: ComposerSubmit;
  #editor: ComposerEditor | null = null;

  constructor({ key, scope, draft, submit }: ComposerModelOptions) {
    this.key = key;
    this.#send = submit;
    this.#store = createStore<ComposerState>({
      text: draft?.text ?? "",
      mentions: draft?.mentions ?? [],
      selection: null,
      scope,
      attachments: draft?.attachments ?? [],
      isRunning: false,
      isSubmitting: false,
      failure: null,
      locks: [],
      effects: [],
      pluginInput: {},
    });
  }

  get state(): ComposerState {
    return this.#store.get();
  }

  /** Of a new thread it follows the project that is chosen; everything else about the composer stays. */
  get scope(): PluginComposerScope {
    return this.state.scope;
  }

  setScope(scope: PluginComposerScope): void {
    if (replaceEqualDeep(this.scope, scope) !== this.scope) {
      this.#update({ scope });
    }
  }

  /** As `useSyncExternalStore` takes them. */
  readonly subscribe = (listener: () => void): (() => void) => this.#store.subscribe(listener);
  readonly snapshot = (): ComposerState => this.#store.get();

  #update(change: Partial<ComposerState>): void {
    this.#store.update((state) => ({ ...state, ...change }));
  }

  setSubmit(submit: ComposerSubmit): void {
    this.#send = submit;
  }

  setRunning(isRunning: boolean): void {
    if (this.state.isRunning !== isRunning) {
      this.#update({ isRunning });
    }
  }

  /** The editor while it is on screen. */
  attach(editor: ComposerEditor): () => void {
    this.#editor = editor;
    return () => {
      if (this.#editor === editor) {
        this.#editor = null;
      }
    };
  }

  focus(): void {
    this.#editor?.focus();
  }

  // --- Draft

  #apply(edit: TextEdit, added: readonly OwnedMention[], selection: TextRange | null): void {
    const { text, mentions } = this.state;
    const all = [...moveMentions(mentions, edit), ...added].sort((a, b) => a.start - b.start);
    this.#update({ text: applyEdit(text, edit), mentions: all, selection, failure: null });
  }

  /** What the editor holds after the user typed. */
  typed(text: string, selection: TextRange): void {
    if (text !== this.state.text) {
      this.#apply(editBetween(this.state.text, text, selection.end), [], selection);
    } else {
      this.select(selection);
    }
  }

  /** Where the editor's selection is. */
  select(selection: TextRange): void {
    const { selection: known } = this.state;
    if (known?.start !== selection.start || known.end !== selection.end) {
      this.#update({ selection });
    }
  }

  /** Mentions outside of what changed stay. */
  setText(text: string): void {
    if (text !== this.state.text) {
      this.#write(editBetween(this.state.text, text), []);
    }
  }

  replace(parts: string | readonly OwnedPart[]): void {
    const { text, mentions } = renderParts(parts, "");
    this.#write({ start: 0, end: this.state.text.length, inserted: text }, mentions);
  }

  insert(
    parts: string | readonly OwnedPart[],
    { at = "caret", block = false }: { at?: "caret" | "start" | "end"; block?: boolean } = {},
  ): void {
    const range = this.#rangeOf(at);
    const { before, after } = block ? breaksAround(this.state.text, range) : { before: "", after: "" };
    const { text, mentions } = renderParts(parts, this.state.text.slice(0, range.start) + before);
    this.#write({ ...range, inserted: before + text + after }, mentions);
  }

  /** Below what is already there, such as a message that could not be kept where it was written. */
  append({ text, mentions, attachments }: ComposerDraft): void {
    const end = this.state.text.trimEnd().length;
    const before = end === 0 ? "" : "\n\n";
    const by = end + before.length;
    const moved = mentions.map((mention) => ({ ...mention, start: mention.start + by, end: mention.end + by }));
    this.#write({ start: end, end: this.state.text.length, inserted: before + text }, moved);
    attachments.forEach((attachment) => this.attachFile(attachment));
  }

  /** Puts a mention in place of what was typed to find it, with a space after it. */
  insertMention(
    mention: { provider: string; id: string; label: string; pluginId?: string; resource?: MentionResource },
    range: TextRange = this.#rangeOf("caret"),
  ): void {
    const { text: draft } = this.state;
    const { text, mentions } = renderParts([{ type: "mention", ...mention }], draft.slice(0, range.start));
    const follows = draft[range.end];
    const space = follows === undefined || !/\s/.test(follows) ? " " : "";
    this.#write({ ...range, inserted: text + space }, mentions);
  }

  /** Before what is already there, so that the answer goes below it. */
  addQuote(text: string): void {
    if (text.trim() === "") {
      return;
    }
    const { text: draft, selection } = this.state;
    const caret = selection?.start ?? draft.length;
    const { text: inserted } = renderParts([{ type: "quote", text }], draft.slice(0, caret));
    this.#write({ start: caret, end: caret, inserted }, []);
  }

  attachFile(attachment: ComposerAttachment): void {
    this.#update({ attachments: [...this.state.attachments, attachment], failure: null });
  }

  detachFile(key: string): void {
    this.#update({ attachments: this.state.attachments.filter((attachment) => attachment.key !== key) });
  }

  #rangeOf(at: "caret" | "start" | "end"): TextRange {
    const { text, selection } = this.state;
    if (at === "start") {
      return { start: 0, end: 0 };
    }
    const end = { start: text.length, end: text.length };
    return at === "end" || selection === null ? end : (clampRange(selection, text.length) ?? end);
  }

  /** A change that does not come from the keyboard: the caret goes behind it. */
  #write(edit: TextEdit, added: readonly OwnedMention[]): void {
    const caret = edit.start + edit.inserted.length;
    const selection = { start: caret, end: caret };
    this.#apply(edit, added, selection);
    this.#editor?.select(selection);
  }

  // --- What plugins hold

  setLock(owner: ComposerOwner, locked: boolean): void {
    if (this.state.locks.includes(owner) === locked) {
      return;
    }
    const others = this.state.locks.filter((other) => other !== owner);
    this.#update({ locks: locked ? [...others, owner] : others });
  }

  setEffect(owner: ComposerOwner, effect: { className: string } | null): void {
    const known = this.state.effects.find((other) => other.owner === owner);
    if (known?.className === effect?.className) {
      return;
    }
    const others = this.state.effects.filter((other) => other !== known);
    this.#update({ effects: effect === null ? others : [...others, { owner, className: effect.className }] });
  }

  /** Null withdraws it. It goes with the next message and ends with it. */
  setPluginInput(pluginId: string, value: JsonValue | null): void {
    const { [pluginId]: old, ...others } = this.state.pluginInput;
    if (replaceEqualDeep(old ?? null, value) === (old ?? null)) {
      return;
    }
    this.#update({ pluginInput: value === null ? others : { ...others, [pluginId]: value } });
  }

  /** Ends the locks and effects of a mount. */
  release(owner: ComposerOwner): void {
    const { locks, effects } = this.state;
    if (locks.includes(owner) || effects.some((effect) => effect.owner === owner)) {
      this.#update({
        locks: locks.filter((other) => other !== owner),
        effects: effects.filter((other) => other.owner !== owner),
      });
    }
  }

  // --- Sending

  /** Why a message cannot be sent although there is one; null when it can. */
  get blockedReason(): string | null {
    const [lock] = this.state.locks;
    return lock === undefined ? null : `${lock.name} has locked the input`;
  }

  onSubmitted(listener: () => void): () => void {
    // Each registration is its own, also of one function.
    const own = () => listener();
    this.#submitted.add(own);
    return () => void this.#submitted.delete(own);
  }

  /** Resolves false when nothing was sent: an empty draft, a lock, a message on its way, a failure. */
  async submit({ holdUntil }: { holdUntil?: Promise<unknown> } = {}): Promise<boolean> {
    const { text, mentions, attachments, isSubmitting } = this.state;
    if (isSubmitting || (text.trim() === "" && attachments.length === 0) || this.blockedReason !== null) {
      return false;
    }
    this.#update({ isSubmitting: true, failure: null });
    try {
      await holdUntil;
      await this.#send({ text, mentions, attachments, pluginInput: this.state.pluginInput });
    } catch (failure) {
      this.#update({ isSubmitting: false, failure: failure instanceof Error ? failure.message : String(failure) });
      return false;
    }
    this.#update({
      text: "",
      mentions: [],
      // What was attached meanwhile did not go with it.
      attachments: this.state.attachments.filter((attachment) => !attachments.includes(attachment)),
      selection: { start: 0, end: 0 },
      isSubmitting: false,
      pluginInput: {},
    });
    for (const listener of [...this.#submitted]) {
      try {
        listener();
      } catch (failure) {
        console.error("a listener of onSubmitted threw", failure);
      }
    }
    return true;
  }
}
