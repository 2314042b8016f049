import { createHmac, timingSafeEqual } from "node:crypto";

import type { SvcPluginApi } from "@get-svc/plugin-sdk";

type Delivery = { receivedAt: number; bytes: number };

export default function plugin(svc: SvcPluginApi): void {
  const settings = svc.settings.define({
    signingSecret: { type: "string", secret: true, label: "Signing secret", description: "Shared with the sender." },
  });

  // "none": the sender has neither our token nor our origin; its signature over the raw bytes is the proof.
  svc.http.route(
    "POST",
    "/hook",
    async (c) => {
      const { signingSecret } = await settings.get();
      if (!signingSecret) {
        return c.json({ error: "no signing secret is configured: svc plugin config {{id}} set signingSecret -" }, 503);
      }
      const body = Buffer.from(await c.req.arrayBuffer());
      if (!isSigned(body, c.req.header("x-signature") ?? "", signingSecret)) {
        return c.json({ error: "the signature does not match" }, 401);
      }
      const delivery: Delivery = { receivedAt: Date.now(), bytes: body.length };
      await svc.storage.kv.set("last", delivery);
      svc.realtime.publish("delivered", delivery);
      return c.body(null, 204);
    },
    { auth: "none" },
  );

  svc.cli.register({
    name: "{{id}}",
    summary: "What another service has sent",
    commands: [{ name: "last", summary: "Show the last delivery", usage: "svc {{id}} last" }],
    async run([command]) {
      if (command !== "last") {
        return { exitCode: 2, stderr: "Usage: svc {{id}} last\n" };
      }
      const last = await svc.storage.kv.get<Delivery>("last");
      const text = last ? `${last.bytes} bytes at ${new Date(last.receivedAt).toLocaleString()}` : "Nothing was received yet.";
      return { exitCode: 0, stdout: `${text}\n` };
    },
  });
}

function isSigned(body: Buffer, header: string, secret: string): boolean {
  const expected = Buffer.from(createHmac("sha256", secret).update(body).digest("hex"));
  const given = Buffer.from(header.replace(/^sha256=/, ""));
  return given.length === expected.length && timingSafeEqual(given, expected);
}
