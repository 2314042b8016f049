import type { ComponentType } from "./react.js";
import type { JsonValue } from "../json.js";
import type { PluginShortcut } from "./commands.js";
import type { PluginIconName } from "./icons.js";

/** Which composer it is. */
export type PluginComposerScope =
  | { kind: "thread"; threadId: string; projectId: string | null }
  | { kind: "queued-message"; threadId: string; queuedMessageId: string; projectId: string | null }
  | { kind: "new-thread"; projectId: string | null };

export type ComposerPart =
  { type: "text"; text: string } | { type: "quote"; text: string } | { type: "mention"; provider: string; id: string; label: string };

export interface ComposerMention {
  provider: string;
  id: string;
  label: string;
  /** Where it stands in the text. */
  start: number;
  end: number;
}

/**
 * A message composer. Locks and effects belong to the mount that set them and end with it. Where no composer is on screen the
 * handle is inert: the draft is empty, methods do nothing and `submit` resolves `false`. The methods of one composer stay the same
 * functions from render to render, so that they can stand in dependency lists.
 */
export interface PluginComposerApi {
  readonly scope: PluginComposerScope;
  readonly text: string;
  readonly isEmpty: boolean;
  readonly attachmentCount: number;
  /** A turn runs in the composer's thread. */
  readonly isRunning: boolean;
  readonly isSubmitting: boolean;
  setText(text: string): void;
  updateText(update: (text: string) => string): void;
  clear(): void;
  focus(): void;
  /** Inserts a mention at the caret. `provider` is a mention provider that the server entry registered. */
  insertMention(mention: { provider: string; id: string; label: string }): void;

  addQuote(text: string): void;
  /** Styles the whole draft; null ends it. */
  setTextEffect(effect: { className: string } | null): void;
  setInputLock(locked: boolean): void;
  /** Differs between composers, equal for one. */
  readonly key: string;
  readonly layout: "expanded" | "compact" | "zen";
  readonly isSubmittingBlocked: boolean;
  readonly submittingBlockedReason: string | null;
  readonly draft: { text: string; mentions: ComposerMention[] };
  readonly selection: { start: number; end: number } | null;
  replace(parts: string | ComposerPart[]): void;
  insert(parts: string | ComposerPart[], options?: { at?: "caret" | "start" | "end"; block?: boolean }): void;
  /** Resolves `false` when the message was not sent. */
  submit(): Promise<boolean>;
  /** Returns what removes the listener. */
  onSubmitted(listener: () => void): () => void;
  experimental_setPluginInput(value: JsonValue | null): void;
  experimental_submit(options?: { holdUntil?: Promise<unknown> }): Promise<boolean>;
  /** Without effect: returns `false`. */
  experimental_openPopup(id: string): boolean;
  /** Without effect. */
  experimental_closePopup(): void;
  /**
   * Of SDK 0.4.0; does nothing.
   *
   * @deprecated Use `experimental_setThreadRowStatus` of a content script.
   */
  setThreadRowStatus(status: unknown): void;
}
export type Composer = PluginComposerApi;
export type ComposerScope = PluginComposerScope;

/** What a composer shows, without the means to change it. */
export interface ComposerView {
  scope: PluginComposerScope;
  layout: "expanded" | "compact" | "zen";
  draft: { text: string; isEmpty: boolean; attachmentCount: number };
  run: { isRunning: boolean; isSubmitting: boolean };
}

export interface ComposerAction {
  id: string;
  /** Gets no props; use hooks. Not mounted in the compact layout. */
  component: ComponentType;
}

export interface ComposerBanner {
  id: string;
  /** Default `card`. */
  chrome?: "card" | "bare";
  component: ComponentType;
}

export interface ComposerMenuItem {
  id: string;
  label: string;
  icon?: PluginIconName;
  description?: string;
  /**
   * A function is called when the menu opens and whenever the view changes while it is open. It is synchronous; a throw disables
   * the item.
   */
  disabled?: boolean | ((view: ComposerView) => boolean);
  /** A rejection becomes an error toast. */
  run(context: { composer: Composer; view: ComposerView }): void | Promise<void>;
}

/** A part of a text in UTF-16 units; `to` and `end` are the first unit behind it. */
export type ComposerTextRange = { from: number; to: number } | { start: number; end: number };

export interface ComposerTextEffect {
  id: string;
  /** Ranges of the text that get `className`. Synchronous; called on every change. */
  match(text: string): ComposerTextRange[];
  className: string;
}

/** A draft with its mentions; `from` and `to` say where the label stands in the text, in UTF-16 units. */
export interface ComposerStructuredDraft {
  text: string;
  mentions: { from: number; to: number; provider: string; id: string; label: string }[];
}

export interface ComposerRichTextSpec {
  effects?: readonly ComposerTextEffect[];
  /** Called 250 ms after the last change of text or mentions. */
  onDraftChange?(draft: ComposerStructuredDraft, view: ComposerView): void;
}

export interface ComposerCustomization {
  id: string;
  /** Default: all three. `side-chat` is accepted and never mounted. */
  scopes?: readonly ("thread" | "queued-message" | "new-thread" | "side-chat")[];
  actions?: readonly ComposerAction[];
  banners?: readonly ComposerBanner[];
  plusMenu?: readonly ComposerMenuItem[];
  richText?: ComposerRichTextSpec;
  /** Accepted, without effect. */
  sendMenu?: unknown;
  /** Accepted, without effect. */
  experimental_popups?: unknown;
}

export interface ComposerCommand {
  id: string;
  title: string;
  defaultShortcut?: PluginShortcut;
  run(context: { composer: Composer }): void | Promise<void>;
}
