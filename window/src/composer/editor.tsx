import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useMemo, useRef } from "react";

import { isComposing } from "@/lib/composing";
import { useStyles } from "@/plugins/styles";
import { cn } from "@/ui/cn";
import { attachFiles } from "./attachments";
import { type Decoration, decorationsOf, type OwnedTextEffect, type Segment, segmentsOf } from "./decorations";
import { handleMentionKey, MentionPopup, mentionStatus } from "./mention_popup";
import type { ComposerModel, ComposerState } from "./model";
import { useMentionSearch } from "./use_mentions";

export interface EditorProps {
  model: ComposerModel;
  state: ComposerState;
  label: string;
  placeholder: string;
  /** With its text, instead of scrolling. */
  grows: boolean;
  effects: readonly OwnedTextEffect[];
  /** Whether Enter sends; with Shift, and where it does not, it starts a new line. */
  sendsOnEnter: boolean;
  describedBy?: string | undefined;
  /** The agent that a new thread would have: whose commands are offered. */
  providerId?: string | undefined;
}

// Both layers must break lines at the same places.
const kTextClass = "col-start-1 row-start-1 w-full min-w-0 px-3.5 py-3 text-base/6 wrap-break-word whitespace-pre-wrap";

/** Holds the sheet that a plugin's class names are in. */
function StyleHold({ pluginId }: { pluginId: string }) {
  useStyles(pluginId);
  return null;
}

/** By which content scripts find text effects, and style sheets their plugin's part. */
const kDecoration = { "data-svc-plugin-decoration": "", "data-svc-plugin-root": "" };

function DecoratedText({ text, segment, level = 0 }: { text: string; segment: Segment; level?: number }) {
  const decoration = segment.over[level];
  if (decoration === undefined) {
    return text.slice(segment.start, segment.end);
  }
  const { className, pluginId } = decoration;
  return (
    <span className={className} {...(pluginId === null ? {} : { ...kDecoration, "data-svc-plugin": pluginId })}>
      <DecoratedText text={text} segment={segment} level={level + 1} />
    </span>
  );
}

/** The text again, below the editor's own: it gives the height, and shows what a text field cannot. */
function Mirror({ state, decorations, isShown }: { state: ComposerState; decorations: readonly Decoration[]; isShown: boolean }) {
  const { text, effects } = state;
  const content = segmentsOf(text.length, decorations).map((segment) => (
    <DecoratedText key={segment.start} text={text} segment={segment} />
  ));
  const whole = effects.reduce(
    (inner, { owner, className }) => (
      <span className={className} {...kDecoration} data-svc-plugin={owner.pluginId}>
        {inner}
      </span>
    ),
    <>{content}</>,
  );
  return (
    <div aria-hidden className={cn(kTextClass, "pointer-events-none text-foreground", !isShown && "invisible")}>
      {whole}
      {/* A line that has nothing in it yet is as high as the others. */}
      {"\u200b"}
    </div>
  );
}

/** The text field of a composer. What plugins and mentions change about its look lies on a layer below it. */
export function Editor({ model, state, label, placeholder, grows, effects, sendsOnEnter, describedBy, providerId }: EditorProps) {
  const { text, mentions, selection, isSubmitting, locks } = state;
  const field = useRef<HTMLTextAreaElement>(null);
  const listId = useId();
  const isLocked = locks.length > 0;
  const search = useMentionSearch(model, state, { isEnabled: !isLocked && !isSubmitting, providerId });
  const decorations = useMemo(() => decorationsOf(text, mentions, effects), [text, mentions, effects]);
  const isDecorated = decorations.length > 0 || state.effects.length > 0;
  const styled = [...new Set([...effects.map(({ plugin }) => plugin.pluginId), ...state.effects.map(({ owner }) => owner.pluginId)])];

  const pending = useRef<{ start: number; end: number } | null>(null);
  useEffect(
    () =>
      model.attach({
        focus: () => field.current?.focus(),
        select: (range) => {
          // The text of this change is not in the field yet.
          pending.current = range;
        },
      }),
    [model],
  );
  useLayoutEffect(() => {
    const range = pending.current;
    if (range !== null && field.current !== null) {
      pending.current = null;
      field.current.setSelectionRange(range.start, range.end);
    }
  }, [text, selection]);

  const readSelection = () => {
    const { selectionStart: start, selectionEnd: end } = field.current!;
    return { start, end };
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (isComposing(event.nativeEvent) || handleMentionKey(search, event)) {
      return;
    }
    const asksToSend = event.key === "Enter" && !event.altKey && (event.ctrlKey || event.metaKey || (sendsOnEnter && !event.shiftKey));
    if (asksToSend) {
      event.preventDefault();
      void model.submit();
    }
  };
  const option = search.options[search.activeIndex];
  return (
    <div className="relative">
      {styled.map((pluginId) => (
        <StyleHold key={pluginId} pluginId={pluginId} />
      ))}
      <MentionPopup search={search} id={listId} />
      <div className={cn("grid min-h-20", !grows && "max-h-[min(50dvh,26rem)] overflow-y-auto")}>
        <Mirror state={state} decorations={decorations} isShown={isDecorated} />
        <textarea
          ref={field}
          aria-label={label}
          aria-describedby={describedBy}
          {...(option === undefined
            ? {}
            : { "aria-autocomplete": "list", "aria-controls": listId, "aria-activedescendant": `${listId}-${search.activeIndex}` })}
          className={cn(
            kTextClass,
            "resize-none overflow-hidden bg-transparent outline-hidden placeholder:text-subtle-foreground",
            isDecorated ? "text-transparent caret-foreground" : "text-foreground",
          )}
          placeholder={placeholder}
          value={text}
          readOnly={isLocked || isSubmitting}
          rows={2}
          autoComplete="off"
          enterKeyHint={sendsOnEnter ? "send" : "enter"}
          onChange={(event) => model.typed(event.target.value, readSelection())}
          onPaste={(event) => {
            const files = Array.from(event.clipboardData.files ?? []);
            // Programs put a picture of the text beside the text itself.
            if (files.length > 0 && event.clipboardData.getData("text/plain") === "") {
              event.preventDefault();
              attachFiles(model, files);
            }
          }}
          onSelect={() => model.select(readSelection())}
          onKeyDown={onKeyDown}
          onBlur={() => search.dismiss()}
        />
      </div>
      <p role="status" className="sr-only">
        {mentionStatus(search)}
      </p>
    </div>
  );
}
