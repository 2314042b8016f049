import { post } from "../lib/api.mjs";
import { npmPeer } from "../lib/npm_peer.mjs";
import { storagePlugin } from "../lib/paths.mjs";
import { withPeer, withSvcd } from "../lib/processes.mjs";
import { line } from "../lib/stats.mjs";
import { inTurns } from "../lib/turns.mjs";

export const name = "storage";
export const summary = "durable key-value pairs and the database of a plugin against better-sqlite3 in Node";

const peerName = "better-sqlite3";
const kInFlight = 64;
const kForms = { full: [5, 2000, 200_000], quick: [2, 500, 20_000] };

export async function run({ form, log }) {
  const [rounds, milliseconds, rows] = kForms[form];
  const modules = npmPeer("better-sqlite3", "12.9.0");
  return withSvcd([storagePlugin], (ours) =>
    withPeer(
      "storage.mjs",
      async (peer) => {
        const measure = (way, load, tell) => {
          const side = ({ pid }, url) => ({ pid, measure: () => post(`${url}/${way}`, load) });
          const sides = { ours: side(ours, `${ours.url}/api/v1/plugins/bench-storage/rpc`), peer: side(peer, peer.url) };
          return inTurns(sides, { rounds, log, tell });
        };
        const row = (sides, scenario, member, unit) => line(sides, { scenario, member, unit, better: "higher", peerName });
        const kv = (what) =>
          measure("kv", { what, milliseconds, inFlight: kInFlight }, ({ perSecond }) => `${Math.round(perSecond)} ${what}/s`);
        const sets = await kv("set");
        const gets = await kv("get");
        const database = await measure("database", { rows }, ({ insert, get, iterate }) =>
          [insert, get, iterate].map((rate) => `${Math.round(rate / 1000)} k`).join(", "),
        );
        return [
          // The contract of the service says durable; how many commits share a write to the disk is up to it.
          row(sets, `${name}_kv_set`, "perSecond", "sets/s"),
          row(gets, `${name}_kv_get`, "perSecond", "gets/s"),
          row(database, `${name}_insert`, "insert", "rows/s"),
          row(database, `${name}_get`, "get", "rows/s"),
          row(database, `${name}_iterate`, "iterate", "rows/s"),
        ];
      },
      { BENCH_MODULES: modules },
    ),
  );
}
