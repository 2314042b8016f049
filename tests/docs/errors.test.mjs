// docs/errors.md is the table of codes in words: every code, each once, with its status and what to do.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { root } from "./guide_examples.mjs";

const read = (path) => readFileSync(join(root, path), "utf8");
const declared = new Map(
  ["modules/common/include/svc/common/codes.h", "base/include/svc/base/error.h"].flatMap((path) =>
    [...read(path).matchAll(/constexpr Errc (k\w+)\{"(\w+)"\}/g)].map(([, name, code]) => [name, code]),
  ),
);
const table = new Map(
  [...read("modules/common/src/codes.cpp").matchAll(/CodeStatus\{errc::(k\w+), (\d+)\}/g)].map(([, name, status]) => [
    declared.get(name),
    Number(status),
  ]),
);
const rows = [...read("docs/errors.md").matchAll(/^\| `(\w+)` \| (\d+) \| (.*?) \| ?(.*?) ?\|$/gm)].map(
  ([, code, status, means, advice]) => ({
    code,
    status: Number(status),
    means,
    advice,
  }),
);

test("every code is in the table of statuses", () => {
  assert.ok(declared.size > 40);
  assert.deepEqual([...declared.values()].sort(), [...table.keys()].sort());
});

test("every code is described once, with its status", () => {
  assert.deepEqual(
    rows.map(({ code, status }) => `${code} ${status}`).sort(),
    [...table].map(([code, status]) => `${code} ${status}`).sort(),
  );
});

test("every description says what it means", () => {
  assert.deepEqual(
    rows.filter(({ means }) => means.length < 10).map(({ code }) => code),
    [],
  );
});

test("codes that pages of the guide name exist", () => {
  for (const page of ["hosts", "machine-files", "rpc", "hooks"]) {
    for (const [, code] of read(`docs/guide/${page}.md`).matchAll(/^\| (?:`[a-z]+_[a-z_]+`, )?`([a-z]+_[a-z_]+)` \| \d{3} \|/gm)) {
      assert.ok(table.has(code), `${page}: ${code}`);
    }
  }
});
