// The executable of Node.js that runs our programs (cmake/node). SVC_BUILD_DIR is a build with SVC_NODE=executable.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

const build = process.env.SVC_BUILD_DIR;
const maker = join(import.meta.dirname, "../../../cmake/node/make_runtime.mjs");
const scratch = mkdtempSync(join(tmpdir(), "svc-runtime-"));
after(() => rmSync(scratch, { recursive: true }));

function run(program, args = [], options = {}) {
  const { status, stderr, stdout } = spawnSync(program, args, { encoding: "utf8", ...options });
  return { status, stderr, stdout };
}

test("another executable is refused, and nothing is written", () => {
  for (const other of ["/bin/true", join(build, "libexec/svc-runtime")]) {
    const target = join(scratch, "runtime");
    const { status, stderr } = run(process.execPath, [maker, other, target]);
    assert.equal(status, 1);
    assert.match(stderr, /It is not the Node\.js that cmake\/node\/package-lock\.json names/);
    assert.equal(existsSync(target), false);
  }
});

test("the runtime by itself runs nothing", () => {
  const { status, stderr } = run(join(build, "libexec/svc-runtime"), ["-e", "console.log(1)"]);
  assert.deepEqual([status, stderr], [1, "svc-runtime: it is started by svcd and svc-hostd, which say what runs in it\n"]);
});

test("a program says which runtime is missing", () => {
  mkdirSync(join(scratch, "bin"));
  cpSync(join(build, "bin/svcd"), join(scratch, "bin/svcd"));
  const { status, stderr } = run(join(scratch, "bin/svcd"));
  assert.equal(status, 1);
  assert.match(stderr, /libexec\/svc-runtime: No such file or directory\n$/);
});

test("a program whose library is missing says so", () => {
  for (const part of ["libexec/svc-runtime", "lib/svc/start.so"]) {
    cpSync(join(build, part), join(scratch, part));
  }
  const { status, stderr } = run(join(scratch, "bin/svcd"));
  assert.equal(status, 1);
  assert.match(stderr, /^svc-runtime: .*lib\/svc\/programs\/svcd\.so: cannot open shared object file/);
});

test("programs do not see how they are started", () => {
  const { status, stdout } = run(join(build, "bin/svcd"), ["--version"], { env: { ...process.env, SVC_RUNTIME_PROGRAM: "/nowhere.so" } });
  assert.equal(status, 0);
  assert.match(stdout, /^\S*\s?\d+\.\d+\.\d+/);
});
