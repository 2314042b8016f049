import { defineRpcContract, type SvcPluginApi } from "@get-svc/plugin-sdk";
import { z } from "zod";

// What this plugin needs from the other one. Its contract is checked again here, because it changes without us.
const todos = z.object({ todos: z.array(z.object({ title: z.string(), done: z.boolean() })) });

export const rpcContract = defineRpcContract({
  summary: { input: null, output: z.object({ open: z.number(), done: z.number(), next: z.string().nullable() }) },
  whoami: { input: null, output: z.object({ kind: z.string(), pluginId: z.string().nullable() }) },
  ask_myself: { input: null, output: z.object({ kind: z.string(), pluginId: z.string().nullable() }) },
});

export default function digest(svc: SvcPluginApi): void {
  svc.rpc.register(rpcContract, {
    summary: async (_input, { signal }) => {
      const list = await svc.sdk.plugins.callRpc({ pluginId: "todo", method: "todos_list", outputSchema: todos, signal });
      const open = list.todos.filter((todo) => !todo.done);
      return { open: open.length, done: list.todos.length - open.length, next: open[0]?.title ?? null };
    },
    // The service vouches for the caller: a client cannot claim to be a plugin.
    whoami: (_input, { caller }) => ({ kind: caller.kind, pluginId: caller.kind === "plugin" ? caller.pluginId : null }),
    ask_myself: () => svc.sdk.plugins.callRpc({ pluginId: svc.pluginId, method: "whoami", outputSchema: rpcContract.whoami.output }),
  });
}
