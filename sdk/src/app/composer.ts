import type { ComponentType } from "./react.js";
import type { JsonValue } from "../json.js";
import type { PluginShortcut } from "./commands.js";
import type { PluginIconName } from "./icons.js";

/** Which composer it is. */
export type PluginComposerScope =
  | { kind: "thread"; threadId: string; projectId: string | null }
  | { kind: "queued-message"; threadId: string; queuedMessageId: string; projectId: string | null }
  | { kind: "new-thread"; projectId: string | null };

/**
 * A piece that `replace` and `insert` put into a draft: a text, a quote (each line behind `>`), or a mention of an item of a mention
 * provider.
 */
export type ComposerPart =
  { type: "text"; text: string } | { type: "quote"; text: string } | { type: "mention"; provider: string; id: string; label: string };

/** A mention in a draft: the text has its label, the agent gets what the provider makes of the item. */
export interface ComposerMention {
  /** Id of a mention provider that the server entry registered. */
  provider: string;
  /** Id of the item, as the provider's `search` returned it. */
  id: string;
  label: string;
  /** Where the label stands in the text, in UTF-16 units; `end` is the first one behind it. */
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

  /** Inserts the text as a quote at the caret. Blank text does nothing. */
  addQuote(text: string): void;
  /** Styles the whole draft; null ends it. */
  setTextEffect(effect: { className: string } | null): void;
  /** Keeps people from writing and sending until this mount takes its lock back. */
  setInputLock(locked: boolean): void;
  /** Differs between composers, equal for one. */
  readonly key: string;
  readonly layout: "expanded" | "compact" | "zen";
  readonly isSubmittingBlocked: boolean;
  /** For people, such as which plugin has locked the input; null when a message can be sent. */
  readonly submittingBlockedReason: string | null;
  /** The whole text, with the mentions in it. */
  readonly draft: { text: string; mentions: ComposerMention[] };
  /** In UTF-16 units; `start` and `end` are equal for a caret. Null while the composer has not had the focus. */
  readonly selection: { start: number; end: number } | null;
  /** Puts the parts in place of the whole draft. */
  replace(parts: string | ComposerPart[]): void;
  /** Default: at the caret, in place of what is selected. `block` puts the parts on lines of their own. */
  insert(parts: string | ComposerPart[], options?: { at?: "caret" | "start" | "end"; block?: boolean }): void;
  /** Resolves `false` when the message was not sent. */
  submit(): Promise<boolean>;
  /** Calls `listener` after each message of this composer that was sent. Returns what removes the listener. */
  onSubmitted(listener: () => void): () => void;
  /** A value that goes with the next message and ends with it; null withdraws it. One per plugin. */
  experimental_setPluginInput(value: JsonValue | null): void;
  /** As `submit`; the message waits for `holdUntil`, and is not sent when that rejects. */
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
/** Name under which hooks and callbacks give `PluginComposerApi`. */
export type Composer = PluginComposerApi;
/** `PluginComposerScope` under its short name: which composer it is. */
export type ComposerScope = PluginComposerScope;

/** What a composer shows, without the means to change it. */
export interface ComposerView {
  scope: PluginComposerScope;
  layout: "expanded" | "compact" | "zen";
  draft: { text: string; isEmpty: boolean; attachmentCount: number };
  run: { isRunning: boolean; isSubmitting: boolean };
}

/** A control in the bar of the composer. */
export interface ComposerAction {
  id: string;
  /** Gets no props; use hooks. Not mounted in the compact layout. */
  component: ComponentType;
}

/** Something above the input of the composer. */
export interface ComposerBanner {
  id: string;
  /** Default `card`: in a frame of the window's. `bare` has none. */
  chrome?: "card" | "bare";
  /** Gets no props; use hooks. */
  component: ComponentType;
}

/** A row of the composer's plus menu. */
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

/** A style for parts of the draft: what is shown changes, what is sent does not. */
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

/** What a customization does with the text of the draft. */
export interface ComposerRichTextSpec {
  effects?: readonly ComposerTextEffect[];
  /** Called 250 ms after the last change of text or mentions. */
  onDraftChange?(draft: ComposerStructuredDraft, view: ComposerView): void;
}

/** What a plugin adds to the message composers of the window, as `composer.customize` takes it. */
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

/** A command of the palette for the composer that holds the caret, as `composer.experimental_registerCommand` takes it. */
export interface ComposerCommand {
  id: string;
  title: string;
  /** Stays unbound when the window or another plugin has it. */
  defaultShortcut?: PluginShortcut;
  /** A rejection becomes an error toast. */
  run(context: { composer: Composer }): void | Promise<void>;
}
