import { definePluginApp, useRpc, useSettings } from "@get-svc/plugin-sdk/app";
import { useEffect, useState } from "react";

import type { rpcContract } from "./server";

export default definePluginApp((app) => {
  app.slots.settingsSection({
    id: "preview",
    title: "Preview",
    description: "What the settings above make of a greeting. It follows every change, from other windows too.",
    component: Preview,
  });
});

function Preview() {
  const rpc = useRpc<typeof rpcContract>();
  const { values } = useSettings();
  const [name, setName] = useState("Ada");
  const [greeting, setGreeting] = useState<{ text: string; failed: boolean }>();

  useEffect(() => {
    if (values === undefined || name === "") {
      return;
    }
    const abort = new AbortController();
    rpc.call("greet", { name }, { signal: abort.signal }).then(
      ({ text, signedWith }) => setGreeting({ text: `${text} (signed with ${signedWith})`, failed: false }),
      (failure: Error) => {
        if (!abort.signal.aborted) {
          setGreeting({ text: failure.message, failed: true });
        }
      },
    );
    return () => abort.abort();
  }, [rpc, values, name]);

  return (
    <div className="flex flex-col gap-3">
      <label className="flex flex-col gap-1 text-sm">
        Name
        <input
          className="rounded-md border border-input bg-background px-3 py-2"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </label>
      {greeting !== undefined && (
        <p role={greeting.failed ? "alert" : "status"} className="rounded-md bg-muted px-3 py-2 text-sm">
          {greeting.text}
        </p>
      )}
    </div>
  );
}
