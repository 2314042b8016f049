import { Link } from "react-router";

import { ThreadBrowser } from "@/threads/thread_browser";
import { Button } from "@/ui/button";
import { Page, PageTitle } from "@/ui/page";

/** `/threads`. */
export default function ThreadsPage() {
  return (
    <Page>
      <header className="flex flex-wrap items-center justify-between gap-3">
        <PageTitle>Threads</PageTitle>
        <Button variant="primary" asChild>
          <Link to="/" state={{ compose: { focusPrompt: true } }}>
            New thread
          </Link>
        </Button>
      </header>
      <ThreadBrowser />
    </Page>
  );
}
