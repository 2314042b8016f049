import { Component, lazy, memo, type ReactNode, Suspense } from "react";

import { cn } from "@/ui/cn";
import { TooMuchMarkup } from "./too_much_markup";

export interface MarkdownProps {
  /** GitHub flavoured Markdown with math; HTML is sanitised. */
  content: string;
  className?: string | undefined;
}

/** Characters up to which a text is formatted: parsing more would hold up the window. */
export const kMaxLength = 400_000;

const MarkdownBody = lazy(() => import("./markdown_body"));

export const kProseClass = "base:flex base:flex-col base:gap-3 base:text-base/relaxed base:wrap-anywhere";

/** The text as it was written, in the place that the formatted one will take. */
export function Plain({ content }: { content: string }) {
  return <p className="wrap-anywhere whitespace-pre-wrap [unicode-bidi:plaintext]">{content}</p>;
}

/** The same, of a text that nobody can format in a bounded time. */
export function Unformatted({ content, reason }: { content: string; reason: string }) {
  return (
    <>
      <p role="note" className="text-sm text-muted-foreground">
        This text is shown as it was written: {reason}.
      </p>
      <Plain content={content} />
    </>
  );
}

interface PlainOnFailureProps {
  content: string;
  /** What grows at its end is one text: once it has too much markup, more of it changes nothing. Default the content. */
  source?: unknown;
  /** Where that is not the content: what is shown. */
  whole?: () => string;
  children: ReactNode;
}

interface PlainOnFailureState {
  content: string;
  source: unknown;
  failure: unknown;
}

/** A parser that fails, or does not arrive, leaves the text readable. The next text gets another chance. */
export class PlainOnFailure extends Component<PlainOnFailureProps, PlainOnFailureState> {
  override state: PlainOnFailureState = { content: "", source: "", failure: null };

  static getDerivedStateFromError(failure: unknown): Partial<PlainOnFailureState> {
    return { failure: failure ?? "failed" };
  }

  static getDerivedStateFromProps(
    { content, source = content }: PlainOnFailureProps,
    state: PlainOnFailureState,
  ): PlainOnFailureState | null {
    if (state.content === content && state.source === source) {
      return null;
    }
    const isKept = state.source === source && state.failure instanceof TooMuchMarkup;
    return { content, source, failure: isKept ? state.failure : null };
  }

  override componentDidCatch(failure: unknown): void {
    if (!(failure instanceof TooMuchMarkup)) {
      console.error("Markdown is shown unformatted", failure);
    }
  }

  override render(): ReactNode {
    const { failure } = this.state;
    if (failure === null) {
      return this.props.children;
    }
    const content = this.props.whole?.() ?? this.props.content;
    return failure instanceof TooMuchMarkup ? <Unformatted content={content} reason={failure.message} /> : <Plain content={content} />;
  }
}

/** Renders Markdown as messages do, code in the current code theme. */
export function Markdown({ content, className }: MarkdownProps) {
  const text = typeof content === "string" ? content : String(content ?? "");
  return (
    <div className={cn(kProseClass, className)} data-svc-message-prose-root="">
      <Formatted content={text} />
    </div>
  );
}

// A text is parsed once, however often what surrounds it is rendered.
const Formatted = memo(function Formatted({ content }: { content: string }) {
  if (content.length > kMaxLength) {
    return <Plain content={content} />;
  }
  return (
    <PlainOnFailure content={content}>
      <Suspense fallback={<Plain content={content} />}>
        <MarkdownBody content={content} />
      </Suspense>
    </PlainOnFailure>
  );
});
