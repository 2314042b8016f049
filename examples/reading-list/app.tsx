// A page and everything around it: deep links through subPath, content of the title bar, a count in the sidebar's row, and
// tabs of the right panel.
import {
  definePluginApp,
  experimental_useAppPanel,
  experimental_useFixedTabTarget,
  experimental_useRpcQuery,
  UrlLink,
  useRpc,
  useSvcNavigate,
} from "@get-svc/plugin-sdk/app";
import { type FormEvent, useState } from "react";

import type { Entry, rpcContract } from "./server";

const kDetails = { panelId: "reading", id: "details" };
const kButton = "rounded-md border border-border px-3 py-1.5 text-sm hover:bg-state-hover disabled:opacity-50";

export default definePluginApp((app) => {
  app.slots.navPanel({
    id: "reading",
    title: "Reading list",
    icon: "BookOpen",
    path: "reading",
    component: ReadingPage,
    headerContent: UnreadSwitch,
    experimental_sidebarAccessory: UnreadCount,
    fixedTabs: [
      {
        ...kDetails,
        title: "Details",
        icon: "Info",
        component: Details,
        // Targets are handed over in memory, by whatever version of the plugin opened the tab.
        experimental_target: { validate: (target) => typeof target === "string" },
      },
      { panelId: "reading", id: "help", title: "Help", icon: "CircleHelp", component: Help },
    ],
  });
});

function useEntries() {
  return experimental_useRpcQuery<Entry[]>({ method: "list", realtime: [{ channel: "entries-changed" }] });
}

/** `/plugins/reading-list/reading` shows everything, `…/reading/unread` what is left. */
function ReadingPage({ subPath }: { subPath: string }) {
  const { data, error, refetch } = useEntries();
  const panel = experimental_useAppPanel();
  const rpc = useRpc<typeof rpcContract>();
  const [failure, setFailure] = useState<string>();
  const shown = data?.filter((entry) => subPath !== "unread" || !entry.read);

  async function setRead(id: string, read: boolean) {
    setFailure(
      await rpc.call("set_read", { id, read }).then(
        () => undefined,
        (refusal: Error) => refusal.message,
      ),
    );
  }

  return (
    <div className="mx-auto flex w-full max-w-2xl flex-col gap-6 px-4 py-8">
      <AddEntry />
      {failure !== undefined && (
        <p role="alert" className="text-sm text-destructive-text">
          {failure}
        </p>
      )}
      {error !== null && (
        <p role="alert" className="text-sm text-destructive-text">
          {error.message}{" "}
          <button type="button" className={kButton} onClick={() => void refetch()}>
            Try again
          </button>
        </p>
      )}
      {shown === undefined ? (
        error === null && <p className="text-sm text-muted-foreground">Loading…</p>
      ) : shown.length === 0 ? (
        <p className="py-12 text-center text-sm text-muted-foreground">
          {subPath === "unread" ? "Everything is read." : "Nothing to read yet."}
        </p>
      ) : (
        <ul aria-label="Reading list" className="divide-y divide-border rounded-lg border border-border bg-card">
          {shown.map((entry) => (
            <li key={entry.id} className="flex flex-wrap items-center gap-2 px-3 py-2">
              <UrlLink href={entry.url} target="_blank" className="min-w-0 flex-1 text-sm underline wrap-anywhere">
                {entry.title}
              </UrlLink>
              <button
                type="button"
                className={kButton}
                aria-label={`Details of ${entry.title}`}
                onClick={() => panel.open({ surface: { kind: "current" }, tab: kDetails, target: entry.id })}
              >
                Details
              </button>
              <label className="flex items-center gap-2 text-sm">
                <input
                  type="checkbox"
                  className="size-6 accent-primary"
                  checked={entry.read}
                  onChange={(event) => void setRead(entry.id, event.target.checked)}
                />
                Read <span className="sr-only">{entry.title}</span>
              </label>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function AddEntry() {
  const rpc = useRpc<typeof rpcContract>();
  const [draft, setDraft] = useState({ title: "", url: "" });
  const [failure, setFailure] = useState<string>();
  const [pending, setPending] = useState(false);

  async function submit(event: FormEvent) {
    event.preventDefault();
    setPending(true);
    const failed = await rpc.call("add", draft).then(
      () => undefined,
      (error: Error) => error.message,
    );
    setPending(false);
    setFailure(failed);
    if (failed === undefined) {
      setDraft({ title: "", url: "" });
    }
  }

  const field = (key: keyof typeof draft, label: string) => (
    <input
      aria-label={label}
      placeholder={label}
      className="min-w-0 flex-1 rounded-md border border-input bg-background px-3 py-2 text-sm"
      value={draft[key]}
      onChange={(event) => setDraft({ ...draft, [key]: event.target.value })}
    />
  );
  return (
    <form className="flex flex-wrap gap-2" onSubmit={(event) => void submit(event)}>
      {field("title", "Title")}
      {field("url", "Address")}
      <button type="submit" className={kButton} disabled={pending || draft.title === "" || draft.url === ""}>
        Add
      </button>
      {failure !== undefined && (
        <p role="alert" className="w-full text-sm text-destructive-text">
          {failure}
        </p>
      )}
    </form>
  );
}

/** At the right of the title bar. */
function UnreadSwitch({ subPath }: { subPath: string }) {
  const { toPluginPanel } = useSvcNavigate();
  const onlyUnread = subPath === "unread";
  return (
    <button
      type="button"
      className={kButton}
      aria-pressed={onlyUnread}
      onClick={() => toPluginPanel("reading", onlyUnread ? {} : { subPath: "unread" })}
    >
      Only unread
    </button>
  );
}

/** In the sidebar's row. */
function UnreadCount() {
  const unread = useEntries().data?.filter((entry) => !entry.read).length ?? 0;
  return unread === 0 ? null : <span className="text-xs tabular-nums">{unread} unread</span>;
}

function Details() {
  const { target } = experimental_useFixedTabTarget(kDetails);
  const entry = useEntries().data?.find(({ id }) => id === target);
  return entry === undefined ? (
    <p className="text-sm text-muted-foreground">Choose an entry of the list.</p>
  ) : (
    <dl className="flex flex-col gap-2 text-sm">
      <dt className="text-muted-foreground">Title</dt>
      <dd>{entry.title}</dd>
      <dt className="text-muted-foreground">Address</dt>
      <dd className="wrap-anywhere">{entry.url}</dd>
    </dl>
  );
}

function Help() {
  return <p className="text-sm">Add what you want to read, open it from the list, and mark it when you are done.</p>;
}
