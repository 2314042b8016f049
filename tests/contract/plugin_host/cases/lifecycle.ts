/** Reload, disable, and what a load leaves. */
import { type Case, unknownRoute, until, withSocket } from "./case.ts";

export const lifecycle: Case[] = [
  { name: "runs", run: (host) => host.status(), gives: { status: "running", statusDetail: null } },
  {
    name: "keeps the present load when the next one fails",
    run: async (host) => {
      await host.rpc("leave", { key: "fail", value: "asked to" });
      const message = withoutPlace(await host.reload());
      const { status, statusDetail } = await host.status();
      return [message, status, withoutPlace(statusDetail), await host.rpc("dotted.name")];
    },
    gives: [
      "reload failed: RangeError: asked to (the previous instance is still running)",
      "running",
      "reload failed: RangeError: asked to",
      { result: "dotted" },
    ],
  },
  {
    name: "reloads, and runs the hooks last registered first",
    run: async (host) => [await host.reload(), await host.status(), (await host.rpc("read", "disposed")) as object],
    gives: [null, { status: "running", statusDetail: null }, { result: ["last", "first"] }],
  },
  { name: "has run the install hooks once", run: (host) => host.rpc("read", "installed"), gives: { result: 1 } },
  {
    name: "needs configuration when the plugin says so, also without words",
    run: async (host) => {
      await host.rpc("need", "add a key");
      const first = await host.status();
      await host.rpc("need", "");
      return [first, await host.status(), await host.rpc("dotted.name")];
    },
    gives: [
      { status: "needs-configuration", statusDetail: "add a key" },
      { status: "needs-configuration", statusDetail: "the plugin needs configuration" },
      { result: "dotted" },
    ],
  },
  {
    name: "loads the plugin again when settings are saved then",
    run: async (host) => {
      await host.settings({ retries: 4 });
      return until(async () => {
        const now = await host.status();
        return now.status === "running" ? now : null;
      });
    },
    gives: { status: "running", statusDetail: null },
  },
  {
    name: "forgets what was registered later",
    run: (host) => host.http("GET", "/late"),
    gives: unknownRoute('plugin "contract" has no GET /late'),
  },
  {
    name: "closes sockets of the load that ends",
    run: (host) =>
      withSocket(host, async (socket) => {
        await host.reload();
        return socket.closed;
      }),
    gives: { code: 1012, reason: "the plugin was reloaded or stopped" },
  },
  {
    name: "answers nothing when it is disabled",
    run: async (host) => {
      await host.disable();
      const answers = [await host.rpc("who"), await host.status()];
      await host.enable();
      return [...answers, await host.rpc("read", "disposed")];
    },
    gives: [
      { code: "plugin_not_running", message: 'plugin "contract" is not running (status disabled)' },
      { status: "disabled", statusDetail: null },
      { result: ["last", "first"] },
    ],
  },
];

/** By design: only the server maps stacks to sources, and says where the factory failed. */
function withoutPlace(text: string | null): string | null {
  return text && text.replace(/ \(server\.ts:\d+:\d+\)/, "");
}
