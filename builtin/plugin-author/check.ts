import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

import type { BuildFindings } from "./entries.ts";
import type { Inspection } from "./inspection.ts";
import { missingFromPackage } from "./package_files.ts";

export interface Findings {
  id: string;
  /** What keeps the plugin from being installed, or from running then. */
  problems: string[];
  hints: string[];
}

/** Who looks: none of them runs code of the plugin. */
export interface Lookers {
  /** The service, by the rules of an install. */
  inspect(root: string): Promise<Inspection>;
  build(root: string): Promise<BuildFindings>;
}

type Manifest = Record<string, unknown>;

const kEntries = ["server", "app", "host"];

export async function checkPlugin(root: string, { inspect, build }: Lookers): Promise<Findings> {
  const { id, problems, warnings } = await inspect(root);
  const findings: Findings = { id: id ?? "", problems: [...problems], hints: [...warnings] };
  const manifest = readManifest(root);
  if (id === null || manifest === undefined) {
    return findings;
  }
  checkExports(root, manifest, findings);
  const built = await build(root);
  findings.problems.push(...built.problems);
  findings.hints.push(...built.hints);
  checkTypes(root, manifest, findings);
  findings.hints.push(...missingFromPackage(root, manifest));
  return findings;
}

function readManifest(root: string): Manifest | undefined {
  try {
    const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8").replace(/^\ufeff/, "")) as unknown;
    return isObject(manifest) ? manifest : undefined;
  } catch {
    return undefined;
  }
}

function checkExports(root: string, { svc }: Manifest, { problems }: Findings): void {
  const files = isObject(svc) ? kEntries.map((entry) => svc[entry]) : [];
  for (const file of files) {
    if (typeof file !== "string" || !isFile(join(root, file))) {
      continue;
    }
    if (!/export\s+default|export\s*\{[^}]*\bdefault\b/.test(readFileSync(join(root, file), "utf8"))) {
      problems.push(`${file} has no default export`);
    }
  }
}

function checkTypes(root: string, { type, engines, devDependencies }: Manifest, { hints }: Findings): void {
  if (type !== "module") {
    hints.push('package.json: "type": "module" is what entries are written as');
  }
  if (!isObject(engines) || typeof engines.svc !== "string") {
    hints.push("package.json: engines.svc says which versions of the service the plugin runs on");
  }
  if (!isFile(join(root, "tsconfig.json"))) {
    hints.push("there is no tsconfig.json: editors and `tsc --noEmit` need one (`svc plugin new` shows it)");
  }
  if (!isObject(devDependencies) || devDependencies["@get-svc/plugin-sdk"] === undefined) {
    hints.push("devDependencies lacks @get-svc/plugin-sdk, which has the types: run `svc plugin types`");
  }
}

function isFile(file: string): boolean {
  return existsSync(file) && statSync(file).isFile();
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
