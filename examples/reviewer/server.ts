import type { SvcPluginApi } from "@get-svc/plugin-sdk";

const reviewText =
  "Look at what you have just changed as a reviewer would. Name what could break and what is missing, most important first.";
const nightlyText = "Run the tests. When one fails, find out why and fix it; otherwise say that all is well.";

export default function reviewer(svc: SvcPluginApi): void {
  const settings = svc.settings.define({
    review: { type: "boolean", label: "Review changes", description: "After turns that have changed files.", default: true },
    text: { type: "string", label: "What is asked", experimental_multiline: true, default: reviewText },
    project: { type: "project", label: "Project of the nightly thread", description: "Without one there is none." },
    nightly: { type: "string", label: "What is done at night", experimental_multiline: true, default: nightlyText },
  });
  const { threads } = svc.sdk;

  /** Whether files have changed since the last review, which is not looked at itself. */
  async function hasChanged(threadId: string, reviewRequestId: unknown): Promise<boolean> {
    const requests = await threads.events.list({ threadId, types: ["client/turn/requested"], order: "desc", limit: 20 });
    // Messages that steered a turn are requests of their own, and none of them began one.
    const turns = requests.filter(({ data }) => data.target.kind !== "steer");
    const review = turns.findIndex(({ data }) => data.requestId === reviewRequestId);
    const first = turns.slice(0, review < 0 ? undefined : review).at(-1);
    if (!first) {
      return false;
    }
    const items = await threads.events.list({ threadId, types: ["item/completed"], afterSeq: first.seq, order: "desc", limit: 1000 });
    return items.some(({ data }) => data.item.type === "fileChange");
  }

  /** Who has stopped a turn does not want another. */
  async function endedWell(threadId: string): Promise<boolean> {
    const [end] = await threads.events.list({ threadId, types: ["turn/completed"], order: "desc", limit: 1 });
    return end?.data.status === "completed";
  }

  // `thread.idle` comes after every turn that has not failed, also after one that was stopped and after the one that reviews: what is kept
  // with the thread tells which that is.
  svc.events.on("thread.idle", async ({ thread }) => {
    const { review, text } = await settings.get();
    if (!review || thread.visibility === "hidden" || thread.archivedAt !== null) {
      return;
    }
    const { reviewRequestId } = await threads.getPluginMetadata({ threadId: thread.id });
    if (!(await endedWell(thread.id)) || !(await hasChanged(thread.id, reviewRequestId))) {
      return;
    }
    try {
      // `start` and not `auto`: whoever has said something meanwhile goes first, and the review comes after that turn, of all that has changed.
      const sent = await threads.send({ threadId: thread.id, mode: "start", input: [{ type: "text", text }] });
      await threads.updatePluginMetadata({ threadId: thread.id, metadata: { reviewRequestId: sent.turnRequestId } });
    } catch (error) {
      svc.log.info(`no review of ${thread.id} yet: ${error instanceof Error ? error.message : String(error)}`);
    }
  });

  svc.background.schedule("nightly", "0 3 * * *", async ({ scheduledAt, signal }) => {
    const { project, nightly } = await settings.get();
    if (project === undefined) {
      return;
    }
    const earlier = await threads.list({ projectId: project, originPluginId: svc.pluginId, archived: false, signal });
    if (earlier.some(({ status }) => status === "active" || status === "starting")) {
      svc.log.warn("last night's thread is still at work");
      return;
    }
    // A worktree of its own: nothing happens in the folder that people work in.
    const thread = await threads.spawn({
      projectId: project,
      prompt: nightly,
      title: `Nightly ${new Date(scheduledAt).toISOString().slice(0, 10)}`,
      environment: { type: "host", workspace: { type: "managed-worktree" } },
      permissionMode: "accept-edits",
      signal,
    });
    svc.log.info(`${thread.id} has started`);
  });
}
