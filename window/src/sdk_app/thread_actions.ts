import type { PluginSidebarThreadActions } from "#sdk/app/sidebar.js";
import type { Thread } from "#sdk/records.js";

import { api } from "@/api/http";
import { queryClient } from "@/api/queries";
import { ApiError } from "@/lib/api_error";
import { navigation } from "@/lib/navigation";
import { notify } from "@/lib/notifications";
import { split } from "@/plugins/split";
import { kThreadListKey } from "./threads_data";

/** Changes a thread; a failure is shown as the window's own, and rejects. */
async function change(what: string, method: string, path: string, body?: object): Promise<void> {
  try {
    await api(method, `/threads/${path}`, body === undefined ? {} : { body });
    await queryClient.invalidateQueries({ queryKey: kThreadListKey });
  } catch (failure) {
    const description = failure instanceof Error ? failure.message : String(failure);
    notify({ kind: "error", title: `The thread could not be ${what}`, description });
    throw failure;
  }
}

const part = encodeURIComponent;

/** How many threads go with one. Not known counts as none: the question is asked in any case, but of a thread that is not there. */
async function childCount(id: string): Promise<number> {
  try {
    return (await api<{ nonDeletedChildCount: number }>("GET", `/threads/${part(id)}/child-summary`)).nonDeletedChildCount;
  } catch (failure) {
    if (failure instanceof ApiError && failure.status === 404) {
      notify({ kind: "error", title: "The thread could not be deleted", description: failure.message });
      throw failure;
    }
    return 0;
  }
}

const isListed = (id: string) => queryClient.getQueryData<Thread[]>(kThreadListKey)?.some((thread) => thread.id === id) === true;

/** Goes to a thread; of one that is in no list, such as an archived one, the service is asked first, and one that is not there is ignored. */
async function openKnown(id: string, go: () => void): Promise<void> {
  if (!isListed(id)) {
    try {
      await api("GET", `/threads/${part(id)}`);
    } catch {
      return;
    }
  }
  go();
}

/** `experimental_useSidebarThreadActions()`, the same for every mount. */
export const kThreadActions: PluginSidebarThreadActions = Object.freeze({
  open: (id: string, { split: beside = false, openInSplit = false }: { split?: boolean; openInSplit?: boolean } = {}) =>
    void openKnown(String(id), () => (beside || openInSplit ? split.openThread(String(id)) : navigation.toThread(id))),
  openNewThread: (options: { projectId?: string; focusPrompt?: boolean } = {}) => navigation.toCompose({ ...options }),
  rename: (id: string, title: string) => change("renamed", "PATCH", part(id), { title }),
  setRead: (id: string, read: boolean) =>
    read
      ? change("marked as read", "POST", `${part(id)}/mark-read`, {})
      : change("marked as unread", "POST", `${part(id)}/mark-unread`, {}),
  setPinned: (id: string, pinned: boolean) =>
    pinned ? change("pinned", "POST", `${part(id)}/pin`, {}) : change("unpinned", "POST", `${part(id)}/unpin`, {}),
  archive: (id: string) => change("archived", "POST", `${part(id)}/archive`, {}),
  unarchive: (id: string) => change("taken out of the archive", "POST", `${part(id)}/unarchive`, {}),
  requestDelete: async (id: string) => {
    const { confirmDelete } = await import("./confirm_delete");
    confirmDelete(await childCount(id), () => change("deleted", "DELETE", `${part(id)}?childThreadsConfirmed=true`));
  },
});
