import { QueryClientProvider } from "@tanstack/react-query";
import { cleanup, configure, render } from "@testing-library/react";
import type { ComponentType } from "react";
import { createMemoryRouter, parsePath, RouterProvider } from "react-router";
import { vi } from "vitest";

import { queryClient } from "@/api/queries";
import { bindRouter } from "@/lib/navigation";
import { clearNotifications } from "@/lib/notifications";
import { TooltipProvider } from "@/ui";

// How long a passing test takes is up to the machine; only a failing one waits this long.
configure({ asyncUtilTimeout: 10_000 });
vi.setConfig({ testTimeout: 60_000 });

/** Shows one page at an address; others show only that they were reached. */
export function renderPage(pattern: string, Page: ComponentType, address: string, state?: unknown) {
  const router = createMemoryRouter(
    [
      { path: pattern, element: <Page /> },
      { path: "*", element: <p>elsewhere</p> },
    ],
    { initialEntries: [state === undefined ? address : { ...parsePath(address), state }] },
  );
  bindRouter(router);
  const view = render(
    <QueryClientProvider client={queryClient}>
      <TooltipProvider>
        <RouterProvider router={router} />
      </TooltipProvider>
    </QueryClientProvider>,
  );
  return { ...view, router };
}

/** What one test leaves behind for the next. */
export function resetWindow(): void {
  cleanup();
  queryClient.clear();
  clearNotifications();
}
