// Measures what one more costs while there are more and more of them. Called by scripts/growth.
import { mkdir, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";

import * as bodies from "./growth/bodies.mjs";
import * as connections from "./growth/connections.mjs";
import * as kvRows from "./growth/kv_rows.mjs";
import * as machines from "./growth/machines.mjs";
import * as plugins from "./growth/plugins.mjs";
import * as schedules from "./growth/schedules.mjs";
import * as threadEvents from "./growth/thread_events.mjs";
import { curvesPage } from "./lib/curves.mjs";
import { growthFiles } from "./lib/paths.mjs";
import { round } from "./lib/stats.mjs";

const kCurves = {
  connections,
  bodies,
  plugins,
  kv_rows: kvRows,
  schedules,
  thread_events: threadEvents,
  machines,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: "boolean" }, list: { type: "boolean" }, help: { type: "boolean" } },
});
if (values.list || values.help) {
  console.log("Usage: scripts/growth [curve...] [--quick]\n");
  Object.entries(kCurves).forEach(([name, { summary }]) => console.log(`  ${name.padEnd(14)} ${summary}`));
  process.exit(0);
}
const unknown = positionals.filter((name) => !(name in kCurves));
if (unknown.length > 0) {
  console.error(`error: no curve ${unknown.join(", ")}; there are ${Object.keys(kCurves).join(", ")}`);
  process.exit(2);
}

/** The points at which one more costs more than `most` times what it cost at an earlier, smaller point. */
function grown(points, metric, { most }) {
  return points.filter((point, index) => {
    const least = Math.min(...points.slice(0, index).map((earlier) => earlier[metric]));
    return point[metric] > most * least && point[metric] > 0;
  });
}

const curves = [];
for (const [name, { summary, steps, quick, metrics, run }] of Object.entries(kCurves)) {
  if (positionals.length > 0 && !positionals.includes(name)) {
    continue;
  }
  console.error(`-- ${name}: ${summary}`);
  const points = await run(values.quick ? quick : steps, (text) => console.error(`   ${text}`));
  const lines = Object.entries(metrics).map(([metric, how]) => ({
    metric,
    ...how,
    values: points.map((point) => ({ at: point.at, value: round(point[metric]) })),
    grown: grown(points, metric, how).map(({ at }) => at),
  }));
  curves.push({ name, summary, lines });
  for (const { unit, values: found, grown: where, most } of lines) {
    console.log(`${name}: ${unit}`);
    console.log(`   ${found.map(({ at, value }) => `${at}: ${value}`).join("   ")}`);
    if (where.length > 0) {
      console.log(`   GROWS: more than ${most} times the least at ${where.join(", ")}`);
    }
  }
}
await mkdir(new URL(".", growthFiles.json), { recursive: true });
await writeFile(growthFiles.json, `${JSON.stringify(curves, null, 2)}\n`);
await writeFile(growthFiles.html, curvesPage(curves));
console.error(`-- ${growthFiles.html.pathname}`);
