import { defineRpcContract, type SvcPluginApi } from "@get-svc/plugin-sdk";

import { create, input, output } from "./task.mjs";

const contract = defineRpcContract({ create: { input, output } });

export default function bench(svc: SvcPluginApi): void {
  svc.rpc.register(contract, { create });
}
