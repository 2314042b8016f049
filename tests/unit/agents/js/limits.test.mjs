import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";

const read = (path) => readFileSync(new URL(`../../../../modules/${path}`, import.meta.url), "utf8");

/** "256", "128UL * 1024", "60min", "2s". */
function valueOf(text) {
  const [, time, unit] = /^(\d+)(min|s)$/.exec(text) ?? [];
  return time === undefined
    ? text
        .replaceAll("UL", "")
        .split("*")
        .reduce((product, factor) => product * Number(factor), 1)
    : Number(time) * (unit === "min" ? 60 : 1) * 1000;
}

it("the limits of the scripts are those of the service", () => {
  const header = read("common/include/svc/common/limits/agents.h");
  const limits = [...read("agents/js/limits.ts").matchAll(/export const (k\w+) = ([^;]*);/g)];
  assert.ok(limits.length > 5);
  for (const [, name, here] of limits) {
    const [, there] = new RegExp(`\\b${name} = ([^;]*);`).exec(header) ?? assert.fail(`limits/agents.h has no ${name}`);
    assert.equal(valueOf(here), valueOf(there), name);
  }
});
