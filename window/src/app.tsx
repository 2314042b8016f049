import { QueryClientProvider } from "@tanstack/react-query";
import { Component, type ErrorInfo, type ReactNode, useState } from "react";
import { RouterProvider } from "react-router/dom";

import { queryClient } from "./api/queries";

import { createRouter } from "./router";

/** The window. */
export function App() {
  const [router] = useState(createRouter);
  return (
    <LastResort>
      <QueryClientProvider client={queryClient}>
        {/* Navigation as a transition would wait for as long as a component keeps setting its own state. */}
        <RouterProvider router={router} useTransitions={false} />
      </QueryClientProvider>
    </LastResort>
  );
}

/** What fails outside of every route must not leave a blank window either. It uses nothing that may have failed. */
class LastResort extends Component<{ children: ReactNode }, { message: string | null }> {
  override state = { message: null };

  static getDerivedStateFromError(error: unknown): { message: string } {
    return { message: error instanceof Error ? error.message : String(error) };
  }

  override componentDidCatch(error: unknown, info: ErrorInfo): void {
    console.error("the window stopped working", error, info.componentStack);
  }

  override render(): ReactNode {
    if (this.state.message === null) {
      return this.props.children;
    }
    return (
      <main className="mx-auto flex max-w-md flex-col gap-3 p-8 text-sm">
        <h1 className="text-lg font-semibold">The window stopped working</h1>
        <p>{this.state.message}</p>
        <p>
          <button type="button" className="cursor-pointer rounded-md border border-border px-3 py-1.5" onClick={() => location.reload()}>
            Reload
          </button>
        </p>
      </main>
    );
  }
}
