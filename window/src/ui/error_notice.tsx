import type { ReactNode } from "react";

import { ApiError } from "@/lib/api_error";

import { Banner } from "./banner";
import { Button } from "./button";

export interface ErrorNoticeProps {
  /** What could not be done, such as `The plugins could not be loaded`. */
  title: ReactNode;
  error: unknown;
  onRetry?(): void;
  isRetrying?: boolean;
  className?: string;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A failed request in place of what it would have shown. */
export function ErrorNotice({ title, error, onRetry, isRetrying = false, className }: ErrorNoticeProps) {
  const isOffline = error instanceof ApiError && error.status === 0;
  return (
    <Banner
      tone="error"
      role="alert"
      title={title}
      {...(className === undefined ? {} : { className })}
      actions={
        onRetry && (
          <Button size="sm" isBusy={isRetrying} onClick={onRetry}>
            Try again
          </Button>
        )
      }
    >
      {isOffline ? "The server does not answer. Is svcd still running? The window connects again by itself." : messageOf(error)}
      {error instanceof ApiError && error.requestId !== "" && (
        <span className="mt-1 block font-mono text-xs text-muted-foreground">Request {error.requestId}</span>
      )}
    </Banner>
  );
}
