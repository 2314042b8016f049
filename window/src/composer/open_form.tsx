import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useCallback } from "react";

import type { JsonValue } from "#sdk/json.js";

import { api } from "@/api/http";
import { usePlugin } from "@/api/queries";
import { PendingInteraction } from "./pending_interaction";

/** `GET /mcp/forms/:id`. Times are epoch milliseconds. */
interface FormRecord {
  id: string;
  pluginId: string;
  /** Name of the program that waits; null when it has not said. */
  client: string | null;
  rendererId: string;
  title: string;
  data: JsonValue;
  createdAt: number;
  expiresAt: number;
}

/** How often the page looks whether the form is still open, in milliseconds. */
const kPollMs = 2000;

export function useOpenForm(id: string, { enabled = true } = {}): UseQueryResult<FormRecord> {
  return useQuery({
    queryKey: ["mcp", "forms", id],
    queryFn: async ({ signal }) => (await api<{ form: FormRecord }>("GET", `/mcp/forms/${encodeURIComponent(id)}`, { signal })).form,
    refetchInterval: kPollMs,
    // A window that was in the background has not polled.
    refetchOnWindowFocus: "always",
    enabled,
  });
}

interface OpenFormProps {
  form: FormRecord;
  onDone(how: "answered" | "cancelled"): void;
  /** Answered in another window, or over: the page shows what has become of it. */
  onRefused(): void;
}

/** What a plugin asks, for whoever waits for its tool. */
export function OpenForm({ form, onDone, onRefused }: OpenFormProps) {
  const { id, pluginId } = form;
  const plugin = usePlugin(pluginId);
  const path = `/mcp/forms/${encodeURIComponent(id)}`;
  const respond = useCallback(
    async (value: JsonValue) => {
      await api("POST", `${path}/respond`, { body: { value } }).catch((failure: unknown) => {
        onRefused();
        throw failure;
      });
      onDone("answered");
    },
    [path, onDone, onRefused],
  );
  const cancel = useCallback(async () => {
    await api("POST", `${path}/cancel`, { body: {} }).catch((failure: unknown) => {
      onRefused();
      throw failure;
    });
    onDone("cancelled");
  }, [path, onDone, onRefused]);
  return (
    <PendingInteraction
      interaction={{ ...form, threadId: "", status: "pending" }}
      pluginName={plugin.data?.name ?? pluginId}
      surface={{ projectId: null, threadId: null }}
      respond={respond}
      cancel={cancel}
    />
  );
}

/** The form of a call that was made here, while it is open. */
export function CallForm({ id, onDone }: { id: string; onDone(): void }) {
  const form = useOpenForm(id);
  return form.data === undefined || form.isError ? null : (
    <OpenForm form={form.data} onDone={onDone} onRefused={() => void form.refetch()} />
  );
}
