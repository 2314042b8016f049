import { defineRpcContract, type SvcPluginApi } from "@get-svc/plugin-sdk";
import { z } from "zod";

const beats = z.object({ count: z.number(), lastAt: z.number().nullable(), missed: z.number() });

export const rpcContract = defineRpcContract({ beats: { input: null, output: beats } });

export default function heartbeat(svc: SvcPluginApi): void {
  const read = async () => (await svc.storage.kv.get<z.infer<typeof beats>>("beats")) ?? { count: 0, lastAt: null, missed: 0 };

  svc.rpc.register(rpcContract, { beats: read });

  // Every minute; a run that was due while the server was down happens once after the start, with `missed` set.
  svc.background.schedule("beat", "* * * * *", async ({ scheduledAt, missed }) => {
    const { count, missed: before } = await read();
    await svc.storage.kv.set("beats", { count: count + 1, lastAt: scheduledAt, missed: before + (missed ? 1 : 0) });
    svc.realtime.publish("beat", { count: count + 1 });
  });

  // A failing run is shown by `svc plugin list` and changes nothing else.
  svc.background.schedule("weekly-report", "0 9 * * mon", () => {
    throw new Error("there is nobody to report to");
  });
}
