// pack_examples.mjs <share> <version>: the examples as packages that install without a network, in <share>/examples: a .tgz each, and the
// list of the marketplace that comes with the service. What a package needs of others is in its bundles.
import { execFile } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const project = dirname(dirname(fileURLToPath(import.meta.url)));
const [share, version] = process.argv.slice(2);
const examples = join(project, "examples");
const builder = join(share, "toolchain/build.mjs");
/** What is not of the package: the tests, and what only those need. */
const kLeftOut = ["node_modules", "dist", "tests", "tsconfig.json", "package-lock.json"];
// Beside the result, so that putting it in place is one rename.
mkdirSync(share, { recursive: true });
const work = mkdtempSync(join(share, ".examples-"));
const out = join(work, "examples");

function manifestOf(name) {
  const {
    scripts: _,
    dependencies: __,
    devDependencies: ___,
    ...manifest
  } = JSON.parse(readFileSync(join(examples, name, "package.json"), "utf8"));
  // An example is as new as the service that it came with, so that an update of the service is one of its examples.
  return { ...manifest, version };
}

async function pack(name) {
  const root = join(work, name, "package");
  const manifest = manifestOf(name);
  cpSync(join(examples, name), root, { recursive: true, filter: (path) => !kLeftOut.some((part) => path.endsWith(`/${part}`)) });
  writeFileSync(join(root, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  symlinkSync(join(project, "node_modules"), join(root, "node_modules"));
  await run(process.execPath, [builder, "build", "--root", root, "--server", "--app", "--host", "--minify"]);
  rmSync(join(root, "node_modules"));
  // The same bytes for the same files.
  const plain = ["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX"];
  await run("tar", [...plain, "--use-compress-program=gzip -9n", "-cf", join(out, `${name}.tgz`), "-C", join(work, name), "package"]);
  return {
    id: name,
    displayName: manifest.svc.name,
    description: manifest.description,
    icon: manifest.svc.branding?.icon ?? null,
    tags: ["example"],
    author: { name: "svc" },
    engines: manifest.engines,
    source: { example: name },
  };
}

try {
  mkdirSync(out);
  const names = readdirSync(examples).filter((name) => existsSync(join(examples, name, "package.json")));
  const left = [...names];
  const entries = new Map();
  const worker = async () => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      entries.set(name, await pack(name));
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  const list = { schemaVersion: 1, name: "examples", plugins: names.map((name) => entries.get(name)) };
  writeFileSync(join(out, "marketplace.json"), `${JSON.stringify(list, null, 1)}\n`);
  rmSync(join(share, "examples"), { recursive: true, force: true });
  renameSync(out, join(share, "examples"));
} catch (failure) {
  console.error(`${failure.message}\n${failure.stdout ?? ""}`);
  process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}
