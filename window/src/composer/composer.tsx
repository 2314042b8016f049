import ArrowUp from "lucide-react/icons/arrow-up";
import Square from "lucide-react/icons/square";
import {
  type DragEvent,
  type KeyboardEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";

import type { Composer as ComposerApi, ComposerMention, PluginComposerScope } from "#sdk/app/composer.js";

import { reportPluginFailure, type SurfaceContext } from "@/plugins/mount_context";
import type { ActivePlugin } from "@/plugins/registry";
import { runPluginAction } from "@/plugins/plugin_action";
import { useCurrentPanelSurface } from "@/plugins/right_panel";
import { hasKeyboard, useIsCompact } from "@/lib/viewport";
import { Banner } from "@/ui/banner";
import { cn } from "@/ui/cn";
import { IconButton } from "@/ui/button";
import { Spinner } from "@/ui/spinner";
import { AttachmentList } from "./attachment_list";
import { attachFiles } from "./attachments";
import { composerCommandFor, type RunComposerCommand, useComposerCommands } from "./composer_commands";
import { ComposerActions, ComposerBanners } from "./composer_mounts";
import { type OwnedCustomization, useCustomizations } from "./customizations";
import type { OwnedTextEffect } from "./decorations";
import { keepDraft, loadDraft } from "./draft_store";
import { Editor } from "./editor";
import { composerHandle, composerViewOf } from "./handle";
import { ComposerModel, type ComposerState, type ComposerSubmit } from "./model";
import { useCallbackOwners } from "./owners";
import { PlusMenu } from "./plus_menu";
import { addComposer } from "./registry";
import { followSending, leftSending } from "./sending";
import { forgetUpload } from "./uploads";

/** What a navigation asks of a composer. Another `id` is another request. */
export interface ComposerRequest {
  readonly id: string;
  readonly initialPrompt?: string | undefined;
  readonly focusPrompt?: boolean | undefined;
}

export interface ComposerProps {
  /** Its kind and thread are constant for one composer; of a new thread the project may change. */
  scope: PluginComposerScope;
  initialText?: string | undefined;
  /** Under which name this tab keeps the draft; without, it ends with the composer. */
  draftKey?: string | undefined;
  /** Accessible name of the text field. Default `Message`. */
  label?: string | undefined;
  placeholder?: string | undefined;
  /** What the button that sends does. Default `Send message`. */
  sendLabel?: string | undefined;
  /** The field grows with its text instead of scrolling. */
  grows?: boolean | undefined;
  request?: ComposerRequest | undefined;
  submit: ComposerSubmit;
  /** Whether the agent works: then messages can still be sent, and the work can be stopped. */
  isRunning?: boolean | undefined;
  onStop?: (() => void) | undefined;
  /** What is chosen for the next message, between the actions and the button that sends. */
  controls?: ReactNode;
  /** What is chosen for all of the thread, below the field. */
  footer?: ReactNode;
  /** The agent that a new thread would have. */
  providerId?: string | undefined;
  /** Called with the arrow keys at the beginning and end of the text; what it returns takes the place of the draft. */
  onHistory?: ((direction: "older" | "newer", draft: string) => Promise<string | null>) | undefined;
  className?: string | undefined;
}

let lastNumber = 0;

function createModel({ scope, initialText, draftKey, submit }: ComposerProps): ComposerModel {
  const left = draftKey === undefined ? undefined : leftSending(draftKey);
  if (left !== undefined) {
    return left;
  }
  const draft = draftKey === undefined ? undefined : loadDraft(draftKey);
  const model = new ComposerModel({
    key: `${scope.kind}:${++lastNumber}`,
    scope,
    draft: draft ?? { text: initialText ?? "", mentions: [], attachments: [] },
    submit,
  });
  if (draftKey !== undefined) {
    followSending(draftKey, model);
  }
  return model;
}

/** Keeps the draft for this tab, and what was uploaded as long as it is in the draft. */
function useKeptDraft(draftKey: string | undefined, { text, mentions, attachments }: ComposerState): void {
  useEffect(() => {
    if (draftKey !== undefined) {
      keepDraft(draftKey, { text, mentions, attachments });
    }
  }, [draftKey, text, mentions, attachments]);
  const known = useRef(attachments);
  useEffect(() => {
    for (const { key } of known.current) {
      if (!attachments.some((attachment) => attachment.key === key)) {
        forgetUpload(key);
      }
    }
    known.current = attachments;
  }, [attachments]);
}

/** Takes up what a navigation asks for, without losing what is already written. */
function useRequest(model: ComposerModel, request: ComposerRequest | undefined): void {
  const taken = useRef<string>(undefined);
  useEffect(() => {
    if (request === undefined || taken.current === request.id) {
      return;
    }
    taken.current = request.id;
    const { initialPrompt, focusPrompt } = request;
    const { text } = model.state;
    if (initialPrompt !== undefined && !text.includes(initialPrompt)) {
      model.setText(text.trim() === "" ? initialPrompt : `${text.trimEnd()}\n\n${initialPrompt}`);
    }
    if (initialPrompt !== undefined || focusPrompt === true) {
      model.focus();
    }
  }, [model, request]);
}

/** `L:draft`, in milliseconds. */
const kDraftDebounce = 250;

/** Tells customizations what the draft has become, when it has not changed for a moment. */
function useDraftListeners(
  { text, mentions }: ComposerState,
  customizations: readonly OwnedCustomization[],
  composerFor: (plugin: ActivePlugin) => ComposerApi,
): void {
  const latest = useRef({ customizations, composerFor });
  useEffect(() => {
    latest.current = { customizations, composerFor };
  });
  const told = useRef({ text, mentions });
  useEffect(() => {
    if (told.current.text === text && told.current.mentions === mentions) {
      return;
    }
    const timer = setTimeout(() => {
      told.current = { text, mentions };
      tellDraft(text, mentions, latest.current.customizations, latest.current.composerFor);
    }, kDraftDebounce);
    return () => clearTimeout(timer);
  }, [text, mentions]);
}

function tellDraft(
  text: string,
  mentions: readonly ComposerMention[],
  customizations: readonly OwnedCustomization[],
  composerFor: (plugin: ActivePlugin) => ComposerApi,
): void {
  for (const { plugin, customization } of customizations) {
    const draft = {
      text,
      mentions: mentions.map(({ start, end, provider, id, label }) => ({ from: start, to: end, provider, id, label })),
    };
    try {
      customization.richText.onDraftChange?.(draft, composerViewOf(composerFor(plugin)));
    } catch (failure) {
      console.error(`${plugin.pluginId}: onDraftChange of "${customization.id}" threw`, failure);
      reportPluginFailure(plugin.pluginId, "render", failure, `composer.customize ${customization.id}`);
    }
  }
}

function useEffectsOf(customizations: readonly OwnedCustomization[]): readonly OwnedTextEffect[] {
  return useMemo(
    () =>
      customizations.flatMap(({ plugin, customization }) =>
        customization.richText.effects.map((effect) => ({ plugin, customizationId: customization.id, effect })),
      ),
    [customizations],
  );
}

function useSurface({ key }: ComposerModel, { scope }: ComposerState, isCompact: boolean): SurfaceContext {
  const panel = useCurrentPanelSurface();
  return useMemo(
    () => ({
      projectId: scope.projectId,
      threadId: scope.kind === "new-thread" ? null : scope.threadId,
      composerKey: key,
      isCompact,
      ...(panel === null ? {} : { panel }),
    }),
    [scope, key, isCompact, panel],
  );
}

/** Where a message is written: the editor, with what plugins add around it. */
export function Composer(props: ComposerProps) {
  const { scope, draftKey, label = "Message", placeholder = "", grows = false, request, submit, className } = props;
  const { isRunning = false, onStop, controls, footer, providerId, onHistory, sendLabel = "Send message" } = props;
  const [model] = useState(() => createModel(props));
  const state = useSyncExternalStore(model.subscribe, model.snapshot);
  const isCompact = useIsCompact();
  const surface = useSurface(model, state, isCompact);
  const customizations = useCustomizations(state.scope.kind);
  const ownerFor = useCallbackOwners(model);
  const statusId = useId();

  useEffect(() => model.setScope(scope), [model, scope]);
  useEffect(() => model.setSubmit(submit), [model, submit]);
  useEffect(() => model.setRunning(isRunning), [model, isRunning]);
  useEffect(() => addComposer(model), [model]);
  useKeptDraft(draftKey, state);
  useRequest(model, request);
  const composerFor = useCallback(
    (plugin: ActivePlugin) => composerHandle(model, model.state, ownerFor(plugin), isCompact),
    [model, ownerFor, isCompact],
  );
  useDraftListeners(state, customizations, composerFor);
  const runCommand = useCallback<RunComposerCommand>(
    (plugin, command) =>
      runPluginAction(plugin, `composer.command ${command.id}`, command.title, () => command.run({ composer: composerFor(plugin) })),
    [composerFor],
  );
  useComposerCommands(runCommand);
  const onKeyDown = (event: KeyboardEvent) => {
    const bound = composerCommandFor(event.nativeEvent);
    if (bound !== undefined) {
      event.preventDefault();
      runCommand(bound.plugin, bound.command);
      return;
    }
    const direction = onHistory === undefined ? null : historyDirection(event, model);
    if (direction !== null) {
      event.preventDefault();
      void onHistory?.(direction, state.text).then((text) => text !== null && model.setText(text));
    }
  };
  const drop = useFileDrop(model);
  const mounts = { customizations, composerKey: model.key, surface };
  return (
    // No form: a plain button of a plugin in here would send the message.
    <div role="group" aria-label={label} data-promptbox="" className={cn("flex flex-col gap-2", className)} onKeyDown={onKeyDown}>
      <ComposerBanners {...mounts} />
      <Failure state={state} />
      <div
        className={cn(
          "rounded-xl border border-border bg-surface-raised-solid shadow-sm focus-within:border-ring focus-within:ring-2 focus-within:ring-ring/30",
          drop.isOver && "border-ring ring-2 ring-ring/30",
        )}
        {...drop.handlers}
      >
        <AttachmentList model={model} attachments={state.attachments} />
        <Editor
          model={model}
          state={state}
          label={label}
          placeholder={placeholder}
          grows={grows}
          effects={useEffectsOf(customizations)}
          sendsOnEnter={!isCompact || hasKeyboard()}
          providerId={providerId}
          describedBy={model.blockedReason === null ? undefined : statusId}
        />
        <div className="flex min-h-11 items-center gap-1 px-2 pb-2">
          <PlusMenu customizations={customizations} composerFor={composerFor} onFiles={(files) => attachFiles(model, files)} />
          {!isCompact && <ComposerActions {...mounts} />}
          <p id={statusId} role="status" className="min-w-0 flex-1 truncate px-1 text-xs text-muted-foreground">
            {state.isSubmitting ? "Sending…" : model.blockedReason}
          </p>
          {controls}
          {isRunning && onStop !== undefined && (
            <IconButton label="Stop the agent" onClick={onStop} className="rounded-full">
              <Square aria-hidden />
            </IconButton>
          )}
          <SendButton label={sendLabel} model={model} state={state} />
        </div>
      </div>
      {footer}
    </div>
  );
}

/** Files that are dragged onto the composer are attached. */
function useFileDrop(model: ComposerModel) {
  const [isOver, setOver] = useState(false);
  const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer.types.includes("Files");
  const handlers = {
    onDragOver: (event: DragEvent) => {
      if (hasFiles(event)) {
        event.preventDefault();
        setOver(true);
      }
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      setOver(false);
      if (hasFiles(event)) {
        event.preventDefault();
        attachFiles(model, event.dataTransfer.files);
      }
    },
  };
  return { isOver, handlers };
}

/** Arrow keys go through what was sent before where they would not move the caret: in an empty draft, and at either end of a text. */
function historyDirection(event: KeyboardEvent, { state: { text, selection } }: ComposerModel): "older" | "newer" | null {
  const isPlain = !(event.shiftKey || event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented);
  const caret = selection?.start === selection?.end ? (selection?.start ?? 0) : -1;
  if (isPlain && event.key === "ArrowUp" && caret === 0) {
    return "older";
  }
  return isPlain && event.key === "ArrowDown" && caret === text.length ? "newer" : null;
}

function Failure({ state }: { state: ComposerState }) {
  return state.failure === null ? null : (
    <Banner tone="error" role="alert" title="The message was not sent">
      {state.failure}
    </Banner>
  );
}

function SendButton({ label, model, state }: { label: string; model: ComposerModel; state: ComposerState }) {
  const { text, attachments, isSubmitting, locks } = state;
  const canSend = (text.trim() !== "" || attachments.length > 0) && !isSubmitting && locks.length === 0;
  return (
    <IconButton
      label={label}
      data-promptbox-submit-action=""
      // Keeps the focus, unlike a disabled button, and says why it does nothing.
      aria-disabled={!canSend}
      onClick={() => void model.submit()}
      className={cn(
        "rounded-full",
        canSend ? "bg-primary text-primary-foreground hover:bg-primary-hover hover:text-primary-foreground" : "bg-secondary",
      )}
    >
      {isSubmitting ? <Spinner className="size-4" /> : <ArrowUp aria-hidden />}
    </IconButton>
  );
}
