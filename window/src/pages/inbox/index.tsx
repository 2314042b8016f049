import { Inbox } from "@/threads/inbox";
import { Page, PageTitle } from "@/ui/page";

/** `/inbox`. */
export default function InboxPage() {
  return (
    <Page>
      <PageTitle>Inbox</PageTitle>
      <Inbox />
    </Page>
  );
}
