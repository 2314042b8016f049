// An npm registry for tests: node npm_registry.mjs <directory>. Serves <directory>/<package>/<version>/ (a package's
// files) as packuments and tarballs, reading them anew for every request, and prints its port. <directory>/faults.json
// may hold { "corrupt": true } (tarballs differ from their integrity), { "hang": true } (tarballs never come) or
// { "tags": { "<package>": { "<tag>": "<version>" } } }.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { join, relative } from "node:path";
import { gzipSync } from "node:zlib";

const [directory] = process.argv.slice(2);
const BLOCK = 512;

const faults = () => {
  const file = join(directory, "faults.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
};

function* filesBelow(folder) {
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) {
      yield* filesBelow(path);
    } else {
      yield path;
    }
  }
}

function tarEntry(name, bytes) {
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0, 100);
  header.write("0000644\0", 100);
  header.write("0000000\0", 108);
  header.write("0000000\0", 116);
  header.write(bytes.length.toString(8).padStart(11, "0") + "\0", 124);
  header.write("00000000000\0", 136);
  header.write("        ", 148);
  header.write("0", 156);
  header.write("ustar\0" + "00", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(sum.toString(8).padStart(6, "0") + "\0 ", 148);
  return Buffer.concat([header, bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)]);
}

function tarball(folder) {
  const entries = [...filesBelow(folder)].map((path) => tarEntry(`package/${relative(folder, path)}`, readFileSync(path)));
  return gzipSync(Buffer.concat([...entries, Buffer.alloc(2 * BLOCK)]));
}

function packument(name, origin) {
  const versions = {};
  for (const version of readdirSync(join(directory, name))) {
    const folder = join(directory, name, version);
    const bytes = tarball(folder);
    versions[version] = {
      ...JSON.parse(readFileSync(join(folder, "package.json"), "utf8")),
      _id: `${name}@${version}`,
      dist: {
        tarball: `${origin}/${name}/-/${version}.tgz`,
        integrity: `sha512-${createHash("sha512").update(bytes).digest("base64")}`,
        shasum: createHash("sha1").update(bytes).digest("hex"),
      },
    };
  }
  const stable = Object.keys(versions).filter((version) => !version.includes("-"));
  const tags = { latest: (stable.length > 0 ? stable : Object.keys(versions)).sort().at(-1), ...faults().tags?.[name] };
  return { _id: name, name, "dist-tags": tags, versions };
}

const server = createServer((request, response) => {
  const origin = `http://${request.headers.host}`;
  const path = decodeURIComponent(new URL(request.url, origin).pathname).slice(1);
  const [name, file] = path.split("/-/");
  if (!/^(@[\w.-]+\/)?[\w.-]+$/.test(name) || !existsSync(join(directory, name))) {
    response.writeHead(404, { "content-type": "application/json" }).end(JSON.stringify({ error: "Not found" }));
    return;
  }
  if (file === undefined) {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(packument(name, origin)));
    return;
  }
  const { corrupt, hang } = faults();
  if (hang) {
    return;
  }
  const bytes = tarball(join(directory, name, file.replace(/\.tgz$/, "")));
  if (corrupt) {
    bytes[bytes.length - 6] ^= 1;
  }
  response.writeHead(200, { "content-type": "application/octet-stream" }).end(bytes);
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
