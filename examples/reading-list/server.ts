import { randomUUID } from "node:crypto";

import { defineRpcContract, type SvcPluginApi } from "@get-svc/plugin-sdk";
import { z } from "zod";

const entry = z.object({ id: z.string(), title: z.string(), url: z.string(), read: z.boolean() });
export type Entry = z.infer<typeof entry>;

export const rpcContract = defineRpcContract({
  list: { input: null, output: z.array(entry) },
  add: {
    input: z.object({ title: z.string().trim().min(1, "An entry needs a title."), url: z.url("This is no address.") }),
    output: entry,
  },
  set_read: { input: z.object({ id: z.string(), read: z.boolean() }), output: z.null() },
});

export default function readingList(svc: SvcPluginApi): void {
  const read = async () => (await svc.storage.kv.get<Entry[]>("entries")) ?? [];
  // One change at a time: each reads the whole list and writes it back.
  let last: Promise<unknown> = Promise.resolve();
  const change = (step: (entries: Entry[]) => Entry[]) => {
    last = last
      .catch(() => undefined)
      .then(async () => {
        const next = step(await read());
        await svc.storage.kv.set("entries", next);
        svc.realtime.publish("entries-changed", { unread: next.filter((entry) => !entry.read).length });
      });
    return last;
  };

  svc.rpc.register(rpcContract, {
    list: read,
    add: async ({ title, url }) => {
      const added = { id: randomUUID().slice(0, 8), title, url, read: false };
      await change((entries) => [...entries, added]);
      return added;
    },
    set_read: async ({ id, read }) => {
      await change((entries) => entries.map((entry) => (entry.id === id ? { ...entry, read } : entry)));
      return null;
    },
  });
}
