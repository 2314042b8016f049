// What the user sees when survey_forget asks.
import { definePluginApp, type PluginPendingInteractionProps } from "@get-svc/plugin-sdk/app";

export default definePluginApp((app) => {
  // Its id is the `rendererId` of the server entry.
  app.slots.pendingInteraction({ id: "forget", component: Forget });
});

function Forget({ interaction, submit, cancel }: PluginPendingInteractionProps) {
  const { payload } = interaction;
  const count = typeof payload === "object" && payload !== null && !Array.isArray(payload) ? Number(payload.count) : 0;
  return (
    <div className="flex flex-col gap-2 text-sm">
      <p>{count === 1 ? "One survey" : `${count} surveys`} will be deleted.</p>
      <div className="flex gap-2">
        <button type="button" className="rounded-md border border-border px-3 py-1.5" onClick={() => void submit(true)}>
          Delete
        </button>
        <button type="button" className="rounded-md border border-border px-3 py-1.5" onClick={() => void cancel()}>
          Keep
        </button>
      </div>
    </div>
  );
}
