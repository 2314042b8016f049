import { defineRpcContract, type SvcPluginApi } from "@get-svc/plugin-sdk";

import { create, input, output } from "./task.mjs";

const contract = defineRpcContract({ create: { input, output } });

export default function bench(svc: SvcPluginApi): void {
  svc.rpc.register(contract, { create });
  // What RPC does, for MCP clients.
  svc.agents.registerTool({
    name: "create",
    description: "Creates a task",
    parameters: input,
    execute: (task) => JSON.stringify(output.parse(create(task))),
  });
}
