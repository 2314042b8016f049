import { defineRpcContract, type SvcPluginApi } from "@get-svc/plugin-sdk";
import { z } from "zod";

const decision = z.object({ id: z.string(), threadId: z.string(), question: z.string(), approved: z.boolean(), note: z.string() });
export type Decision = z.infer<typeof decision>;

export const rpcContract = defineRpcContract({
  decisions: { input: z.object({ threadId: z.string() }), output: z.array(decision) },
});

const answer = z.object({ approved: z.boolean(), note: z.string() });

export default function approvals(svc: SvcPluginApi): void {
  const all = async () => (await svc.storage.kv.get<Decision[]>("decisions")) ?? [];

  svc.rpc.register(rpcContract, {
    decisions: async ({ threadId }) => (await all()).filter((decision) => decision.threadId === threadId),
  });

  svc.agents.registerTool({
    name: "approvals_ask",
    description: "Asks the user to approve a step. Returns what they decided.",
    parameters: z.object({ question: z.string().min(1).max(160), command: z.string().optional() }),
    execute: async ({ question, command }, { threadId, signal }) => {
      if (threadId === null) {
        return { content: [{ type: "text", text: "There is no thread to ask in." }], isError: true };
      }
      const outcome = await svc.ui.requestInput(
        { threadId, rendererId: "approval", title: question, payload: { command: command ?? null } },
        { signal },
      );
      if (outcome.outcome === "cancelled") {
        return `not approved (${outcome.reason})`;
      }
      const { approved, note } = answer.parse(outcome.value);
      const decisions = await all();
      await svc.storage.kv.set("decisions", [...decisions, { id: String(decisions.length + 1), threadId, question, approved, note }]);
      svc.realtime.publish("decided", { threadId });
      return `${approved ? "approved" : "not approved"}${note === "" ? "" : `: ${note}`}`;
    },
  });
}
