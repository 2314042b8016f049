/** Keeps the last build of an entry, so that a restart without changes needs no bundler. */
import type { BuiltinRequire } from "../binding.js";
import type { BuildHeader, BuildJob } from "../build.js";
import { readDependencies } from "../dependencies_record.js";
import { changedSince, removeFile, replaceFile, statesOf } from "../file_states.js";

export interface Build {
  header: BuildHeader;
  code: string;
}

/** Changes when the form of what is kept, or the way it is built, changes. */
const kFormat = 6;

export function makeBuildCache(process: NodeJS.Process, builtin: BuiltinRequire, job: BuildJob, root: string) {
  const fs = builtin<typeof import("node:fs")>("fs");
  const path = builtin<typeof import("node:path")>("path");
  const file = path.join(path.dirname(job.output), "server.build");

  const started = Date.now();
  const version = JSON.stringify([kFormat, process.versions.node, process.env["SVC_BUILDER"] ?? "", job.entry, job.output]);
  const sha256 = (text: string): string => builtin<typeof import("node:crypto")>("crypto").createHash("sha256").update(text).digest("hex");
  const dependenciesHold = (digest: string): boolean =>
    readDependencies({ folder: path.dirname(job.output), nodeVersion: process.versions.node, fs, path, sha256 })?.digest === digest;

  return {
    read(): Build | undefined {
      let text: string;
      try {
        text = fs.readFileSync(file, "utf8");
      } catch {
        return undefined;
      }
      const [keptVersion, names, states, header] = text.split("\n", 4);
      if (keptVersion !== version || statesOf(fs, JSON.parse(names ?? "[]") as string[]) !== states) {
        return undefined;
      }
      const parsed = JSON.parse(header ?? "") as BuildHeader;
      if (!fits(parsed, job.known ?? [])) {
        return undefined;
      }
      if (parsed.dependencies !== undefined && !dependenciesHold(parsed.dependencies)) {
        return undefined;
      }
      const code = text.slice([keptVersion, names, states, header].join("\n").length + 1);
      return { header: parsed, code };
    },
    /** Failing to keep a build is not a failure to load. */
    write({ header, code }: Build): void {
      const names = watchedBy(path, job.entry, [...header.inputs, ...header.known], root);
      if (changedSince(fs, names, started)) {
        removeFile(fs, file); // nobody knows which state the bundler read
        return;
      }
      const text = [version, JSON.stringify(names), statesOf(fs, names), JSON.stringify(header), code].join("\n");
      try {
        fs.mkdirSync(path.dirname(file), { recursive: true });
        replaceFile(fs, file, text);
      } catch {
        removeFile(fs, file);
      }
    },
  };
}

/** The environment has what the build expects of it, and nothing that the build brings along. */
function fits({ known: expected, inputs }: BuildHeader, known: string[]): boolean {
  const present = new Set(known);
  return expected.every((file) => present.has(file)) && !inputs.some((file) => present.has(file));
}

/**
 * The inputs; their folders, because a new file there can change what an import means; and what steers resolution
 * above them.
 */
function watchedBy(path: typeof import("node:path"), entry: string, inputs: string[], root: string): string[] {
  const names = new Set(inputs);
  for (const input of inputs) {
    let folder = path.dirname(input);
    while (!names.has(folder) && folder !== path.dirname(folder)) {
      names.add(folder);
      if (`${entry}/`.startsWith(`${folder}/`)) {
        break;
      }
      folder = path.dirname(folder);
    }
  }
  for (let folder = path.dirname(entry); ; folder = path.dirname(folder)) {
    for (const name of ["package.json", "tsconfig.json", "node_modules"]) {
      names.add(path.join(folder, name));
    }
    if (folder === path.dirname(folder)) {
      break;
    }
  }
  names.add(root);
  return [...names];
}
