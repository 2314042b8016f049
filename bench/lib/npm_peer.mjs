// Packages that only peers need: fetched from the registry when they are first asked for.
import { existsSync, mkdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

import { mustRun } from "./dev_loop.mjs";
import { peerModules } from "./paths.mjs";

/** The folder whose node_modules have the package, compiled against this Node. */
export function npmPeer(name, version) {
  const folder = join(peerModules, `${name}-${version}`);
  if (!existsSync(join(folder, "node_modules", name))) {
    mkdirSync(folder, { recursive: true });
    const prefix = dirname(dirname(realpathSync(process.execPath)));
    // A Node with its headers beside it needs no download of them.
    const headers = existsSync(join(prefix, "include/node/node.h")) ? { npm_config_nodedir: prefix } : {};
    const env = { ...process.env, npm_config_build_from_source: "true", ...headers };
    mustRun("npm", ["install", "--prefix", folder, "--no-fund", "--no-audit", `${name}@${version}`], { env });
  }
  return folder;
}
