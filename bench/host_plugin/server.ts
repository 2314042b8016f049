// Measures from where plugins call: inside the server entry.
import { defineRpcContract, type SvcPluginApi } from "@get-svc/plugin-sdk";
import { z } from "zod";

import { contract, measure } from "./calls.mjs";

const load = z.object({ hostId: z.string(), seconds: z.number().positive().max(60), inFlight: z.number().int().min(1).max(256) });
const measured = z.object({ operations: z.number(), perSecond: z.number(), p50Ms: z.number(), p99Ms: z.number() });
const rpcContract = defineRpcContract({ measure: { input: load, output: measured } });

export default function benchHost(svc: SvcPluginApi): void {
  const hosts = svc.hosts.experimental_client({ contract });
  svc.rpc.register(rpcContract, {
    measure: ({ hostId, ...how }) => measure((input) => hosts.call("echo", input, { hostId }), how),
  });
}
