// Measures from where plugins write: inside the server entry.
import { defineRpcContract, type SvcPluginApi } from "@get-svc/plugin-sdk";
import { z } from "zod";

import { databaseWork, kvWork } from "./work.mjs";

const rate = z.object({ operations: z.number(), perSecond: z.number() });
const contract = defineRpcContract({
  kv: { input: z.object({ what: z.enum(["set", "get"]), milliseconds: z.number(), inFlight: z.number().int() }), output: rate },
  database: {
    input: z.object({ rows: z.number().int() }),
    output: z.object({ operations: z.number(), insert: z.number(), get: z.number(), iterate: z.number() }),
  },
});

export default function benchStorage(svc: SvcPluginApi): void {
  svc.rpc.register(contract, {
    kv: (load) => kvWork(svc.storage.kv, load),
    database: (load) => databaseWork(svc.storage.database(), load),
  });
}
