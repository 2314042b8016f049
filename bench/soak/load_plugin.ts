// What the load soak talks to: every way in takes text and answers how long it is.
import type { SvcPluginApi } from "@get-svc/plugin-sdk";

const any = {
  "~standard": { version: 1 as const, vendor: "soak", validate: (value: unknown) => ({ value }) },
};
const method = { input: any, output: any };
const lengthOf = (value: unknown): number => (value as string).length;

export default function load(svc: SvcPluginApi): void {
  svc.rpc.register(
    { length: method, pass: method },
    {
      length: lengthOf,
      pass: (input: unknown) => svc.sdk.plugins.callRpc({ pluginId: svc.pluginId, method: "length", input }),
    },
  );
  svc.http.route("POST", "/length", async (c) => c.json({ ok: true, result: lengthOf(await c.req.json()) }));
  svc.http.experimental_websocket("/length", () => ({ onMessage: (socket, data) => socket.send(String(lengthOf(data))) }));
  svc.cli.register({
    name: "load",
    summary: "Tells how long its argument is",
    commands: [],
    run: ([text]) => ({ exitCode: 0, stdout: String(lengthOf(text)) }),
  });
}
