import TriangleAlert from "lucide-react/icons/triangle-alert";
import { isRouteErrorResponse, Link, useRouteError } from "react-router";

import { Button } from "@/ui/button";
import { EmptyState } from "@/ui/empty_state";

import { usePageTitle } from "./page_title";
import { kMainId } from "@/lib/main_region";

function messageOf(error: unknown): string {
  if (isRouteErrorResponse(error)) {
    return `${error.status} ${error.statusText}`;
  }
  return error instanceof Error ? error.message : String(error);
}

/** Chunks of a window that was replaced on the server are gone: only a reload helps. */
function isMissingChunk(error: unknown): boolean {
  return error instanceof TypeError && /dynamically imported module|module script|Importing a module/i.test(error.message);
}

/** In place of a page that failed; the rest of the window stays. */
export function RouteError() {
  const error = useRouteError();
  const title = isMissingChunk(error) ? "This page could not be loaded" : "This page stopped working";
  usePageTitle(title);
  return (
    <main id={kMainId} tabIndex={-1} className="min-h-0 flex-1 overflow-y-auto outline-none">
      <EmptyState
        as="h1"
        icon={<TriangleAlert />}
        title={title}
        description={
          <>
            {isMissingChunk(error)
              ? "The server does not answer, or it was updated since the window was opened. Reload to get the version that it has now."
              : "That is a fault of the window, not of what you did. Reload it; if it happens again, the message below belongs into the report."}
            <pre className="mt-4 max-h-40 overflow-auto rounded-md bg-surface-recessed-solid p-3 text-left text-xs whitespace-pre-wrap">
              {messageOf(error)}
            </pre>
          </>
        }
        actions={
          <>
            <Button variant="primary" onClick={() => location.reload()}>
              Reload
            </Button>
            <Button asChild>
              <Link to="/">Start page</Link>
            </Button>
          </>
        }
      />
    </main>
  );
}
