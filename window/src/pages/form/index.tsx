import { useQuery } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { useParams } from "react-router";

import type { JsonValue } from "#sdk/json.js";

import { api } from "@/api/http";
import { usePlugin } from "@/api/queries";
import { PendingInteraction } from "@/composer/pending_interaction";
import { ApiError } from "@/lib/api_error";
import { EmptyState, ErrorNotice, Loading } from "@/ui";
import { Page, PageTitle } from "@/ui/page";

/** `GET /mcp/forms/:id`. Times are epoch milliseconds. */
interface OpenForm {
  id: string;
  pluginId: string;
  rendererId: string;
  title: string;
  data: JsonValue;
  createdAt: number;
  expiresAt: number;
}

/** How often the page looks whether the form is still open, in milliseconds. */
const kPollMs = 2000;

/** `/forms/:formId`: what a plugin asks while an MCP client waits for its tool. The client has sent its user here. */
export default function FormPage() {
  const { formId = "" } = useParams();
  // Another form begins anew.
  return <FormById key={formId} id={formId} />;
}

function FormById({ id }: { id: string }) {
  const [done, setDone] = useState<"answered" | "cancelled" | null>(null);
  const form = useQuery({
    queryKey: ["mcp", "forms", id],
    queryFn: async ({ signal }) => (await api<{ form: OpenForm }>("GET", `/mcp/forms/${encodeURIComponent(id)}`, { signal })).form,
    refetchInterval: kPollMs,
    enabled: done === null,
  });
  if (done !== null) {
    return (
      <Page>
        <EmptyState
          as="h1"
          title={done === "answered" ? "Your answer is on its way" : "Cancelled"}
          description="You can close this page and go back to the program that asked."
        />
      </Page>
    );
  }
  if (form.isError && form.error instanceof ApiError && form.error.status === 404) {
    return (
      <Page>
        <EmptyState
          as="h1"
          title="This form is not open"
          description="It was answered or cancelled, its time is over, or the program that asked does not wait any more."
        />
      </Page>
    );
  }
  if (form.data === undefined) {
    return (
      <Page>
        {form.isError ? (
          <ErrorNotice
            title="The form could not be read"
            error={form.error}
            onRetry={() => void form.refetch()}
            isRetrying={form.isFetching}
          />
        ) : (
          <Loading />
        )}
      </Page>
    );
  }
  return (
    <Page>
      <PageTitle>A program asks you</PageTitle>
      <ShownForm form={form.data} onDone={setDone} onRefused={() => void form.refetch()} />
    </Page>
  );
}

interface ShownFormProps {
  form: OpenForm;
  onDone(how: "answered" | "cancelled"): void;
  /** Answered in another window, or over: the page shows what has become of it. */
  onRefused(): void;
}

function ShownForm({ form, onDone, onRefused }: ShownFormProps) {
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
