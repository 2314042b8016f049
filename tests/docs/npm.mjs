import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";

import { root } from "./guide_examples.mjs";

// npm as far as the pages need it: `install` gives the packages of this repository instead of a registry's. The SDK is what svc
// brings, unpacked from the file that it names.
const kNpm = `#!/bin/sh
case "$1" in
  view) echo 'npm error code E404' >&2; exit 1 ;;
  install|ci) ;;
  *) exec "$WALKTHROUGH_NPM" "$@" ;;
esac
[ "$2" = --package-lock-only ] && exit 0
mkdir -p node_modules
for package in "$WALKTHROUGH_PACKAGES"/.bin "$WALKTHROUGH_PACKAGES"/*; do
  case "$package" in */@get-svc|*/svc-plugin-*) ;; *) ln -sfn "$package" node_modules/ ;; esac
done
for tarball; do :; done
case "$tarball" in *.tgz)
  mkdir -p node_modules/@get-svc/plugin-sdk
  tar -xzf "$tarball" -C node_modules/@get-svc/plugin-sdk --strip-components=1 ;;
esac
`;

function realNpm() {
  const [path] = process.env.PATH.split(delimiter)
    .map((folder) => join(folder, "npm"))
    .filter((file) => existsSync(file));
  return path;
}

/** Puts that npm into `folder`, which goes in front of PATH. Gives what it needs in the environment. */
export function installNpm(folder) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "npm"), kNpm);
  chmodSync(join(folder, "npm"), 0o755);
  return { WALKTHROUGH_NPM: realNpm(), WALKTHROUGH_PACKAGES: join(root, "node_modules") };
}
