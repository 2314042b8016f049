import { defineRpcContract, type SvcPluginApi } from "@get-svc/plugin-sdk";
import { z } from "zod";

const total = z.object({ sessions: z.number(), minutes: z.number() });
export type Total = z.infer<typeof total>;

export const rpcContract = defineRpcContract({
  total: { input: null, output: total },
  finished: { input: z.object({ minutes: z.number().positive() }), output: total },
});

export default function focusTimer(svc: SvcPluginApi): void {
  const read = async () => (await svc.storage.kv.get<Total>("total")) ?? { sessions: 0, minutes: 0 };
  svc.rpc.register(rpcContract, {
    total: read,
    finished: async ({ minutes }) => {
      const before = await read();
      const next = { sessions: before.sessions + 1, minutes: before.minutes + minutes };
      await svc.storage.kv.set("total", next);
      svc.realtime.publish("total-changed", next);
      return next;
    },
  });
}
