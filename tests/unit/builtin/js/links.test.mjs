import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";

import { placeOf, relink } from "../../../../builtin/links.mjs";

describe("pages that are shipped", () => {
  const has = (path) => ["guide/threads.md", "guide/rpc.md", "guide/cli.md", "examples/survey/README.md"].includes(path);
  const ship = (text, from = "guide") => relink(text, (path) => placeOf(join(from, path), has));

  it("lead to what is shipped", () => {
    assert.equal(ship("[a](../threads.md#a-thread) and [b](rpc.md)"), "[a](threads.md#a-thread) and [b](rpc.md)");
    assert.equal(ship("[s](../../examples/survey/README.md)"), "[s](../examples/survey/README.md)");
    assert.equal(ship("[of plugins](cli.md), [all](../cli.md)"), "[of plugins](cli.md), [all](../reference/commands.md)");
    assert.equal(ship("[of plugins](guide/cli.md), [all](cli.md)", ""), "[of plugins](cli.md), [all](../reference/commands.md)");
  });

  it("have the text of a link to what is not", () => {
    assert.equal(ship("see [how](../architecture.md#x), [all](README.md) ![a picture](images/a.png)"), "see how, all a picture");
    assert.equal(ship("[e](../../examples/gone/README.md)"), "e");
  });

  it("keep addresses and places of their own", () => {
    assert.equal(ship("[w](https://example.org/a.md) [h](#below)"), "[w](https://example.org/a.md) [h](#below)");
  });
});
