import { lazy, type ReactNode, Suspense } from "react";

import type { GrowingText } from "@/lib/growing_text";
import { cn } from "@/ui/cn";
import { kMaxLength, kProseClass, Plain, PlainOnFailure } from "./markdown";

const StreamedBody = lazy(() => import("./streamed_body"));

export interface StreamedMarkdownProps {
  text: GrowingText;
  /** What is shown in place of a top-level block; null for those that are shown as they are. */
  replace?: ((block: string) => ReactNode) | undefined;
  className?: string;
}

/** Markdown that may still grow. Whoever shows it renders it anew when it did. */
export function StreamedMarkdown({ text, replace, className }: StreamedMarkdownProps) {
  return (
    <div className={cn(kProseClass, className)} data-svc-message-prose-root="">
      {text.length > kMaxLength ? (
        <Plain content={String(text)} />
      ) : (
        <PlainOnFailure content={text.tail(64)} source={text} whole={() => String(text)}>
          <Suspense fallback={<Plain content={String(text)} />}>
            <StreamedBody text={text} count={text.count} replace={replace} />
          </Suspense>
        </PlainOnFailure>
      )}
    </div>
  );
}
