import { Component, lazy, memo, type ReactNode, Suspense } from "react";

import { cn } from "@/ui/cn";

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

interface PlainOnFailureState {
  content: string;
  hasFailed: boolean;
}

/** A parser that fails, or does not arrive, leaves the text readable. The next text gets another chance. */
export class PlainOnFailure extends Component<{ content: string; children: ReactNode }, PlainOnFailureState> {
  override state: PlainOnFailureState = { content: "", hasFailed: false };

  static getDerivedStateFromError(): Partial<PlainOnFailureState> {
    return { hasFailed: true };
  }

  static getDerivedStateFromProps({ content }: { content: string }, state: PlainOnFailureState): PlainOnFailureState | null {
    return state.content === content ? null : { content, hasFailed: false };
  }

  override componentDidCatch(failure: unknown): void {
    console.error("Markdown is shown unformatted", failure);
  }

  override render(): ReactNode {
    return this.state.hasFailed ? <Plain content={this.props.content} /> : this.props.children;
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
