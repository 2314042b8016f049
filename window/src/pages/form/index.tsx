import { useState } from "react";
import { useParams } from "react-router";

import { OpenForm, useOpenForm } from "@/composer/open_form";
import { ApiError } from "@/lib/api_error";
import { EmptyState, ErrorNotice, Loading } from "@/ui";
import { Page, PageTitle } from "@/ui/page";

/** `/forms/:formId`: what a plugin asks while an MCP client waits for its tool. The client has sent its user here. */
export default function FormPage() {
  const { formId = "" } = useParams();
  // Another form begins anew.
  return <FormById key={formId} id={formId} />;
}

function FormById({ id }: { id: string }) {
  const [done, setDone] = useState<"answered" | "cancelled" | null>(null);
  const form = useOpenForm(id, { enabled: done === null });
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
      <PageTitle>{form.data.client === null ? "A program" : form.data.client} asks you</PageTitle>
      <OpenForm form={form.data} onDone={setDone} onRefused={() => void form.refetch()} />
    </Page>
  );
}
