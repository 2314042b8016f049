import { createHmac, timingSafeEqual } from "node:crypto";
import { defineRpcContract, type SvcPluginApi } from "@get-svc/plugin-sdk";
import { z } from "zod";

const delivery = z.object({ id: z.string(), event: z.string(), receivedAt: z.number() });
type Delivery = z.infer<typeof delivery>;

export const rpcContract = defineRpcContract({
  deliveries: { input: null, output: z.object({ deliveries: z.array(delivery) }) },
});

const KEY = "deliveries";
const KEPT = 50;

export default function webhook(svc: SvcPluginApi): void {
  const settings = svc.settings.define({
    signingSecret: { type: "string", secret: true, label: "Signing secret", description: "Shared with the sender." },
  });
  const read = async (): Promise<Delivery[]> => (await svc.storage.kv.get<Delivery[]>(KEY)) ?? [];
  let last: Promise<unknown> = Promise.resolve();

  svc.rpc.register(rpcContract, { deliveries: async () => ({ deliveries: await read() }) });

  // "none": an outside service has neither our token nor our origin; the signature over the raw bytes is the proof.
  svc.http.route(
    "POST",
    "/deliveries",
    async (c) => {
      const { signingSecret } = await settings.get();
      if (!signingSecret) {
        return c.json({ error: "no signing secret is configured" }, 503);
      }
      const body = Buffer.from(await c.req.arrayBuffer());
      if (!signed(body, c.req.header("x-signature") ?? "", signingSecret)) {
        return c.json({ error: "the signature does not match" }, 401);
      }
      const event = c.req.header("x-event") ?? "unknown";
      const id = c.req.header("x-delivery") ?? crypto.randomUUID();
      // One change after the other: reading, adding and writing are three steps.
      const stored = last.then(async () => {
        const known = await read();
        if (known.some((entry) => entry.id === id)) {
          return "repeated";
        }
        await svc.storage.kv.set(KEY, [{ id, event, receivedAt: Date.now() }, ...known].slice(0, KEPT));
        svc.realtime.publish("delivered", { id, event });
        return "stored";
      });
      last = stored.catch(() => undefined);
      return c.json({ outcome: await stored, bytes: body.length }, 202);
    },
    { auth: "none" },
  );
}

function signed(body: Buffer, header: string, secret: string): boolean {
  const expected = Buffer.from(createHmac("sha256", secret).update(body).digest("hex"));
  const given = Buffer.from(header.replace(/^sha256=/, ""));
  return given.length === expected.length && timingSafeEqual(given, expected);
}
