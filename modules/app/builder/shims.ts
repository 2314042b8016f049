import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { build as esbuild, type Plugin } from "esbuild";

import { RUNTIME_SLOT_BY_SPECIFIER } from "../../../sdk/src/runtime_slots";
import { packageDirectory } from "./manifest";
import knownNames from "./runtime_names.json";

export const kShims = "svc-runtime";

const kSdk = "@get-svc/plugin-sdk";
/** Copies of these are harmless; everything else the window supplies exists once. */
const kShared = /^(clsx|tailwind-merge|class-variance-authority|@pierre\/diffs(\/.*)?)$/;

const packageOf = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
const specifiers = Object.keys(RUNTIME_SLOT_BY_SPECIFIER);

/** Packages that the window supplies, the SDK aside. */
export const suppliedPackages: ReadonlySet<string> = new Set(specifiers.map(packageOf).filter((name) => name !== kSdk));
/** Those of which a second copy breaks something. */
export const singletonPackages: ReadonlySet<string> = new Set(
  specifiers
    .filter((specifier) => !kShared.test(specifier))
    .map(packageOf)
    .filter((name) => name !== kSdk),
);

export const slotOf = (specifier: string): string => RUNTIME_SLOT_BY_SPECIFIER[specifier as keyof typeof RUNTIME_SLOT_BY_SPECIFIER];

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
const exactly = new RegExp(`^(?:${specifiers.map(escaped).join("|")})$`);

function shimText(specifier: string, names: readonly string[]): string {
  const slot = slotOf(specifier);
  const missing = `svc runtime slot "${slot}" for "${specifier}" is missing: this bundle must be loaded by the app window`;
  const lines = [
    `const slot = globalThis.__svcPluginRuntime?.[${JSON.stringify(slot)}];`,
    `if (slot === undefined || slot === null) throw new Error(${JSON.stringify(missing)});`,
    // Marked pure, so that names nobody imports leave nothing behind.
    `const get = (name) => slot[name];`,
    `export default /* @__PURE__ */ ((all) => ("default" in all ? all.default : all))(slot);`,
  ];
  names
    .filter((name) => name !== "default")
    .forEach((name, index) => {
      lines.push(`const _${index} = /* @__PURE__ */ get(${JSON.stringify(name)}); export { _${index} as ${name} };`);
    });
  return lines.join("\n");
}

const facadeNames = new Map<string, { stamp: string; names: string[] }>();

/** What the installed facade exports; undefined when there is none. */
async function installedNames(root: string, specifier: string): Promise<readonly string[] | undefined> {
  const directory = packageDirectory(root, kSdk);
  if (directory === undefined) {
    return undefined;
  }
  try {
    const { exports } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as {
      exports?: Record<string, { default?: string }>;
    };
    const file = join(directory, exports?.[`.${specifier.slice(kSdk.length)}`]?.default ?? "missing");
    const { mtimeMs, size } = statSync(file);
    const stamp = `${mtimeMs}:${size}`;
    const known = facadeNames.get(file);
    if (known?.stamp === stamp) {
      return known.names;
    }
    const { metafile } = await esbuild({
      entryPoints: [file],
      bundle: true,
      packages: "external",
      format: "esm",
      write: false,
      metafile: true,
      logLevel: "silent",
    });
    const names = Object.values(metafile.outputs)[0]?.exports ?? [];
    facadeNames.set(file, { stamp, names });
    return names;
  } catch {
    return undefined;
  }
}

/** Replaces what the window supplies by modules that read it from there. */
export function runtimeShims(root: string): Plugin {
  return {
    name: "svc-runtime",
    setup(build) {
      build.onResolve({ filter: exactly }, ({ path }) => ({ path, namespace: kShims, sideEffects: false }));
      build.onLoad({ filter: /.*/, namespace: kShims }, async ({ path }) => {
        const installed = path.startsWith(kSdk) ? await installedNames(root, path) : undefined;
        const known = (knownNames as Record<string, readonly string[]>)[path] ?? [];
        return { contents: shimText(path, installed ?? known), loader: "js" };
      });
    },
  };
}
