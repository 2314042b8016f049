import type { Composer, ComposerPart, ComposerView, PluginComposerScope } from "#sdk/app/composer.js";
import { findJsonProblem } from "#sdk/json_problem.js";

import { addPluginUnsupported } from "@/plugins/registry";
import type { OwnedPart } from "#sdk/app_policy/composer_text.js";
import type { ComposerModel, ComposerOwner, ComposerState } from "./model";
import { isOnScreen } from "./registry";

/** A mount as far as a composer needs it. */
export interface HandleOwner extends ComposerOwner {
  /** Calls `release` when the mount ends. */
  own(release: () => void): () => void;
}

/** Mounts that are to be released, so that each model asks once, however often a plugin sets its effect. */
const holders = new WeakMap<HandleOwner, Set<ComposerModel>>();

/** Locks and effects end with the mount that set them. */
function hold(model: ComposerModel, owner: HandleOwner): void {
  const models = holders.get(owner) ?? new Set();
  if (!models.has(model)) {
    holders.set(owner, models.add(model));
    owner.own(() => {
      models.delete(model);
      // A mount may end while React commits, when nothing may ask for another render.
      queueMicrotask(() => model.release(owner));
    });
  }
}

type MethodName = { [Name in keyof Composer]: Composer[Name] extends (...given: never[]) => unknown ? Name : never }[keyof Composer];
type ComposerMethods = Pick<Composer, MethodName>;

/** One set of functions for a mount and a composer, so that plugins can name them in dependency lists. */
const methods = new WeakMap<HandleOwner, WeakMap<ComposerModel, ComposerMethods>>();

function methodsOf(model: ComposerModel, owner: HandleOwner): ComposerMethods {
  let ofOwner = methods.get(owner);
  if (ofOwner === undefined) {
    methods.set(owner, (ofOwner = new WeakMap()));
  }
  let own = ofOwner.get(model);
  if (own === undefined) {
    ofOwner.set(model, (own = whileOnScreen(model, makeMethods(model, owner))));
  }
  return own;
}

/** A composer as one mount of a plugin sees it; a snapshot of `state`, while methods act on what is there by then. */
export function composerHandle(model: ComposerModel, state: ComposerState, owner: HandleOwner, isCompact: boolean): Composer {
  const { text, mentions } = state;
  return {
    key: model.key,
    scope: model.scope,
    text,
    isEmpty: text === "",
    attachmentCount: state.attachments.length,
    isRunning: state.isRunning,
    isSubmitting: state.isSubmitting,
    layout: isCompact ? "compact" : "expanded",
    isSubmittingBlocked: state.locks.length > 0,
    submittingBlockedReason: state.locks.length > 0 ? model.blockedReason : null,
    draft: { text, mentions: mentions.map(({ pluginId: _owner, resource: _resource, ...mention }) => mention) },
    selection: state.selection === null ? null : { ...state.selection },
    ...methodsOf(model, owner),
  };
}

/** Mentions are of the providers of the plugin that inserts them. */
function ownedBy({ pluginId }: HandleOwner, parts: string | ComposerPart[]): string | OwnedPart[] {
  return typeof parts === "string" ? parts : parts.map((part) => (part.type === "mention" ? { ...part, pluginId } : part));
}

function makeMethods(model: ComposerModel, owner: HandleOwner): ComposerMethods {
  return {
    setText: (next) => model.setText(String(next)),
    updateText: (update) => model.setText(String(update(model.state.text))),
    clear: () => model.setText(""),
    focus: () => model.focus(),
    insertMention: ({ provider, id, label }) => model.insert([{ type: "mention", provider, id, label, pluginId: owner.pluginId }]),
    addQuote: (quote) => model.addQuote(quote),
    setTextEffect: (effect) => {
      hold(model, owner);
      model.setEffect(owner, effect);
    },
    setInputLock: (locked) => {
      hold(model, owner);
      model.setLock(owner, locked);
    },
    replace: (parts) => model.replace(ownedBy(owner, parts)),
    insert: (parts, options) => model.insert(ownedBy(owner, parts), options),
    submit: () => model.submit(),
    onSubmitted: (listener) => model.onSubmitted(listener),
    experimental_setPluginInput: (value) => {
      const problem = findJsonProblem(value, "$value");
      if (problem !== undefined) {
        throw new TypeError(`experimental_setPluginInput: ${problem}`);
      }
      model.setPluginInput(owner.pluginId, value);
    },
    experimental_submit: (options) => model.submit(options),
    // Known by name only.
    experimental_openPopup: () => {
      addPluginUnsupported(owner.pluginId, "composer.experimental_openPopup");
      return false;
    },
    experimental_closePopup: () => addPluginUnsupported(owner.pluginId, "composer.experimental_closePopup"),
    setThreadRowStatus: nothing,
  };
}

const nothing = (): void => undefined;
const notSent = async (): Promise<boolean> => false;

const kInertMethods: ComposerMethods = {
  setText: nothing,
  updateText: nothing,
  clear: nothing,
  focus: nothing,
  insertMention: nothing,
  addQuote: nothing,
  setTextEffect: nothing,
  setInputLock: nothing,
  replace: nothing,
  insert: nothing,
  submit: notSent,
  onSubmitted: () => nothing,
  experimental_setPluginInput: nothing,
  experimental_submit: notSent,
  experimental_openPopup: () => false,
  experimental_closePopup: nothing,
  setThreadRowStatus: nothing,
};

/** The same methods, inert once the composer has left the screen. */
function whileOnScreen(model: ComposerModel, methods: ComposerMethods): ComposerMethods {
  const names = Object.keys(methods) as MethodName[];
  const guarded = names.map((name) => [
    name,
    (...given: never[]) => ((isOnScreen(model) ? methods : kInertMethods)[name] as (...all: never[]) => unknown)(...given),
  ]);
  return Object.fromEntries(guarded) as ComposerMethods;
}

/** What there is without a composer: an empty draft that nothing changes. */
export function inertComposer(scope: PluginComposerScope): Composer {
  return {
    key: "none",
    scope,
    text: "",
    isEmpty: true,
    attachmentCount: 0,
    isRunning: false,
    isSubmitting: false,
    layout: "expanded",
    isSubmittingBlocked: true,
    submittingBlockedReason: "There is no composer on screen",
    draft: { text: "", mentions: [] },
    selection: null,
    ...kInertMethods,
  };
}

export function composerViewOf({ scope, layout, draft, isEmpty, attachmentCount, isRunning, isSubmitting }: Composer): ComposerView {
  return {
    scope,
    layout,
    draft: { text: draft.text, isEmpty, attachmentCount },
    run: { isRunning, isSubmitting },
  };
}
