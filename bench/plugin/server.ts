import { defineRpcContract, type SvcPluginApi } from "@get-svc/plugin-sdk";
import { z } from "zod";

import { contract, handlers } from "./task.mjs";

const signals = z.object({ times: z.number().int(), text: z.string() });
const rpcContract = defineRpcContract({ ...contract, publish: { input: signals, output: z.null() } });

export default function bench(svc: SvcPluginApi): void {
  const publish = ({ times, text }: z.infer<typeof signals>): null => {
    for (let count = 0; count < times; ++count) {
      svc.realtime.publish("bench", text);
    }
    return null;
  };
  svc.rpc.register(rpcContract, { ...handlers, publish });
  // What RPC does, for MCP clients.
  svc.agents.registerTool({
    name: "create",
    description: "Creates a task",
    parameters: contract.create.input,
    execute: (task) => JSON.stringify(contract.create.output.parse(handlers.create(task))),
  });
}
