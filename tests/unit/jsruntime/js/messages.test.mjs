import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "../../../support/js/bundle.mjs";

const { describeFailure } = load("modules/jsruntime/js/builder/messages.ts");

const unresolved = (name) => ({
  text: `Could not resolve "${name}"`,
  location: { file: "server.ts", line: 1, column: 18, length: 5, lineText: `import { z } from "${name}";` },
  notes: [{ text: "You can mark the path as external" }],
});

test("a package that is missing is told in the first line", () => {
  const lines = describeFailure([unresolved("zod")], "/x/server.ts").split("\n");
  assert.equal(lines[0], 'server.ts:1:19: Could not resolve "zod" (is it installed, and in package.json?)');
  assert.match(lines.at(-1), /run `npm install` in the folder of the plugin/);
});

test("a file that is missing is no package", () => {
  assert.equal(describeFailure([unresolved("./zod")], "/x/server.ts").split("\n")[0], 'server.ts:1:19: Could not resolve "./zod"');
});

test("a tsconfig.json that cannot be read is told first: it is why others are not found", () => {
  const broken = { text: "Expected string", location: { file: "tsconfig.json", line: 2, column: 0, length: 0, lineText: "" }, notes: [] };
  assert.match(describeFailure([unresolved("@/label"), broken], "/x/server.ts"), /^tsconfig\.json:2:1: Expected string/);
});
