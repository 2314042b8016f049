// The peer of the reloads: a Node host that bundles a server entry anew, with all that it imports, and imports the bundle under
// another name. What the plugin registers goes nowhere. BENCH_ENTRY names the entry.
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

import { build } from "esbuild";

const entry = process.env.BENCH_ENTRY;
let loads = 0;

/** Takes whatever is called on it, and is a text where one is wanted. */
const anything = new Proxy(() => undefined, {
  get: (_, member) => (member === "then" ? undefined : member === Symbol.toPrimitive ? () => "anything" : anything),
  apply: () => anything,
});

async function load() {
  const outfile = join(dirname(entry), "dist", `server-${++loads}.mjs`);
  await build({ entryPoints: [entry], outfile, bundle: true, platform: "node", format: "esm", logLevel: "error" });
  const { default: plugin } = await import(pathToFileURL(outfile).href);
  await plugin(anything);
}

const server = createServer(async (_, response) => {
  await load();
  response.end('{"ok":true}');
});
server.listen(0, "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${server.address().port}`));
process.on("SIGTERM", () => process.exit(0));
