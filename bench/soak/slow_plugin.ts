// What the slow soak talks to: a stream for clients that do not read, bodies that are collected, and a call that takes its time.
import type { SvcPluginApi } from "@get-svc/plugin-sdk";

const any = {
  "~standard": { version: 1 as const, vendor: "soak", validate: (value: unknown) => ({ value }) },
};
const kPiece = 1024 * 1024;

export default function slow(svc: SvcPluginApi): void {
  svc.rpc.register(
    { wait: { input: any, output: any }, quick: { input: any, output: any } },
    {
      wait: (input: unknown) => new Promise((resolve) => setTimeout(resolve, 1000, (input as string).length)),
      quick: () => "quick",
    },
  );
  svc.http.route("GET", "/stream", () => {
    const body = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(kPiece)) });
    return new Response(body, { headers: { "content-type": "application/octet-stream" } });
  });
  svc.http.route("POST", "/collect", async (c) => c.json((await c.req.text()).length));
}
