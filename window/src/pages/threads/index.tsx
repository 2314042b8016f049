import { Link, useSearchParams } from "react-router";

import { ThreadBrowser } from "@/threads/thread_browser";
import { Button } from "@/ui/button";
import { Page, PageTitle } from "@/ui/page";

/** `/threads?q=`: with what is searched for. */
export default function ThreadsPage() {
  const asked = useSearchParams()[0].get("q") ?? "";
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
      <ThreadBrowser key={asked} initialQuery={asked} />
    </Page>
  );
}
