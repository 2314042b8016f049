import { useEffect, useLayoutEffect, useRef, useState } from "react";

import type { Interaction } from "#sdk/records.js";

import { mayTakeFocus } from "@/lib/first_focus";
import type { SurfaceContext } from "@/plugins/mount_context";
import { askedText } from "./interaction_text";
import { InteractionForm } from "./interactions";
import { QuestionBoundary } from "./question_boundary";

/** Nobody writes, and nobody goes around with keys: what is asked may have them. */
const isFocusFree = (): boolean => mayTakeFocus() && document.activeElement?.matches("a, button") !== true;

export const cardIn = (place: HTMLElement): HTMLElement | null => place.querySelector<HTMLElement>("[data-svc-interaction]");

/** The text field that has the focus while the question is drawn for the first time. */
function useWritten(): HTMLElement | null {
  const [written] = useState(() => {
    const active = document.activeElement;
    return active instanceof HTMLElement && active.matches("input, textarea") ? active : null;
  });
  return written;
}

/** Where somebody writes, the focus stays: a form that takes it as it appears would get the rest of what is typed. */
function keepWriting(place: HTMLElement, written: HTMLElement): () => void {
  const end = new AbortController();
  const back = () => {
    end.abort();
    written.focus({ preventScroll: true });
  };
  if (place.contains(document.activeElement)) {
    back();
    return () => undefined;
  }
  const { signal } = end;
  const leave = (event: Event) => {
    if (!(event instanceof KeyboardEvent) || event.key === "Tab" || event.altKey) {
      end.abort();
    }
  };
  place.addEventListener("focusin", back, { signal });
  document.addEventListener("pointerdown", leave, { capture: true, signal });
  document.addEventListener("keydown", leave, { capture: true, signal });
  return () => end.abort();
}

interface AskedCardProps {
  interaction: Interaction;
  surface: SurfaceContext;
  /** Whether the focus is in it, or was when it was taken from there by no other element. */
  onFocus(isIn: boolean): void;
}

function AskedCard({ interaction, surface, onFocus }: AskedCardProps) {
  const place = useRef<HTMLDivElement>(null);
  const written = useWritten();
  useLayoutEffect(() => {
    const shown = place.current!;
    if (written?.isConnected === true) {
      return keepWriting(shown, written);
    }
    if (isFocusFree()) {
      cardIn(shown)?.focus({ preventScroll: true });
    }
    return undefined;
  }, [written]);
  return (
    // What is asked may be long: what was said before and what is written below stay in view.
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions -- only what bubbles from the form within
    <div
      ref={place}
      className="-m-1 max-h-[50dvh] shrink-0 overflow-y-auto p-1"
      onFocus={() => onFocus(true)}
      onBlur={({ relatedTarget }) => relatedTarget !== null && onFocus(false)}
    >
      <InteractionForm interaction={interaction} surface={surface} />
    </div>
  );
}

function AskedText({ interaction }: { interaction: Interaction }) {
  return <span>Above the message, an answer is asked for: {askedText(interaction)}</span>;
}

export interface AskedProps {
  /** Undefined while nothing is asked. */
  asked: Interaction | undefined;
  surface: SurfaceContext;
  toComposer(): void;
}

/**
 * What is asked, above the composer, which stays as it is: what is being written is neither interrupted nor lost. The focus moves here only
 * when it is free, and goes on to the composer when the question that had it is gone.
 */
export function Asked({ asked, surface, toComposer }: AskedProps) {
  const hadFocus = useRef(false);
  const isAsked = asked !== undefined;
  const latest = useRef(toComposer);
  useEffect(() => {
    latest.current = toComposer;
  });
  useEffect(() => {
    if (!isAsked && hadFocus.current) {
      hadFocus.current = false;
      if (isFocusFree()) {
        latest.current();
      }
    }
  }, [isAsked]);
  return (
    <>
      <p role="status" className="sr-only">
        {isAsked && (
          <QuestionBoundary key={asked.id} fallback={<span>Above the message, an answer is asked for</span>}>
            <AskedText interaction={asked} />
          </QuestionBoundary>
        )}
      </p>
      {isAsked && <AskedCard key={asked.id} interaction={asked} surface={surface} onFocus={(isIn) => (hadFocus.current = isIn)} />}
    </>
  );
}
