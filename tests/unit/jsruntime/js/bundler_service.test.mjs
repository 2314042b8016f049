import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const source = fileURLToPath(new URL("../../../../modules/jsruntime/js/builder/service.ts", import.meta.url));
const { text } = buildSync({ entryPoints: [source], bundle: true, format: "esm", write: false }).outputFiles[0];
const { BundlerDied, BundlerService } = await import(`data:text/javascript;base64,${Buffer.from(text).toString("base64")}`);

/** Builds one entry at each turn; one of `deadly` takes all that is being built with it, and stays dead until stop(). */
class FakeEsbuild {
  built = [];
  stops = 0;
  #dead = false;
  #open = new Set();

  constructor(deadly = {}) {
    this.deadly = deadly;
  }

  build({ entryPoints: [entry] }) {
    if (this.#dead) {
      return Promise.reject(new Error("The service is no longer running"));
    }
    return new Promise((resolve, reject) => {
      const open = { reject };
      this.#open.add(open);
      setImmediate(() => {
        if (!this.#open.has(open)) {
          return;
        }
        if (this.deadly[entry]-- > 0) {
          this.#dead = true;
          for (const { reject: fail } of this.#open) {
            fail(new Error("The service was stopped"));
          }
          this.#open.clear();
          return;
        }
        this.#open.delete(open);
        this.built.push(entry);
        if (entry === "broken") {
          reject(Object.assign(new Error("Build failed"), { errors: [{ text: "syntax" }] }));
        } else {
          resolve({ entry });
        }
      });
    });
  }
  stop() {
    ++this.stops;
    this.#dead = false;
    return Promise.resolve();
  }
}

const build = (service, entry) => service.build({ entryPoints: [entry] });

describe("the bundler's process", () => {
  it("is started again when it was killed, and the build is repeated", async () => {
    const esbuild = new FakeEsbuild({ unlucky: 1 });
    const service = new BundlerService(esbuild);
    assert.deepEqual(await build(service, "unlucky"), { entry: "unlucky" });
    assert.deepEqual(await build(service, "next"), { entry: "next" });
    assert.equal(esbuild.stops, 1);
  });

  it("dies twice of one source only; what was built beside it goes on", async () => {
    const service = new BundlerService(new FakeEsbuild({ deadly: 99 }));
    const [first, deadly, last] = await Promise.allSettled(["first", "deadly", "last"].map((entry) => build(service, entry)));
    assert.deepEqual([first.value, last.value], [{ entry: "first" }, { entry: "last" }]);
    assert.ok(deadly.reason instanceof BundlerDied);
    assert.match(deadly.reason.message, /died of these sources twice/);
    assert.deepEqual(await build(service, "after"), { entry: "after" });
  });

  it("is not shared with a build that may kill it again", async () => {
    const esbuild = new FakeEsbuild({ deadly: 2 });
    const service = new BundlerService(esbuild);
    const deadly = build(service, "deadly").catch((error) => error);
    await new Promise((resolve) => setImmediate(resolve)); // dead once; the second attempt runs alone
    const beside = build(service, "beside");
    assert.ok((await deadly) instanceof BundlerDied);
    assert.deepEqual(await beside, { entry: "beside" });
    assert.deepEqual(esbuild.built, ["beside"]);
  });

  it("leaves the errors of sources as they are", async () => {
    const esbuild = new FakeEsbuild();
    await assert.rejects(build(new BundlerService(esbuild), "broken"), (error) => error.errors[0].text === "syntax");
    assert.equal(esbuild.stops, 0);
  });
});
