/** Builds the entries of a plugin as `svc plugin build` does, and writes nothing. */
import { execFile } from "node:child_process";
import { join } from "node:path";

export interface BuildFindings {
  problems: string[];
  hints: string[];
}

interface Line {
  type: string;
  text?: string;
  file?: string;
  line?: number;
  column?: number;
}

/** lim.build, for each of the three entries. */
const kPatienceMs = 360_000;
const kMaxOutput = 16 * 1024 * 1024;

export async function buildEntries(root: string, signal: AbortSignal): Promise<BuildFindings> {
  const node = process.env.SVC_BUILD_NODE || process.execPath;
  // Of the service that this plugin came with.
  const builder = join(import.meta.dirname, "../../toolchain/build.mjs");
  const words = [builder, "check", "--root", root, "--json", "--toolchain", join(process.env.SVC_DATA_DIR ?? "", "plugins")];
  const { output, failure } = await run(node, words, signal);
  signal.throwIfAborted();
  return readFindings(output, failure);
}

/** `failure` is why the builder could not be run, or did not end by itself. */
export function readFindings(output: string, failure: string | undefined): BuildFindings {
  const lines = output.split("\n").flatMap(lineOf);
  const of = (type: string): string[] => lines.filter((line) => line.type === type).map(shortText);
  const unbuilt = of("fatal")[0] ?? (lines.some(({ type }) => type === "done") ? undefined : failure);
  return {
    problems: [...new Set(of("error"))],
    hints: [...of("warning"), ...(unbuilt === undefined ? [] : [`the entries were not built: ${unbuilt}`])],
  };
}

async function run(program: string, words: string[], signal: AbortSignal): Promise<{ output: string; failure: string | undefined }> {
  return await new Promise((resolve) => {
    execFile(program, words, { signal, timeout: kPatienceMs, maxBuffer: kMaxOutput }, (error, output) => {
      resolve({ output, failure: error?.message });
    });
  });
}

/** What a package of the toolchain prints is no line of the builder. */
function lineOf(text: string): Line[] {
  try {
    const line = JSON.parse(text) as unknown;
    return typeof line === "object" && line !== null && "type" in line ? [line as Line] : [];
  } catch {
    return [];
  }
}

function shortText({ text = "", file, line, column }: Line): string {
  const place = [file, line, column].filter((each) => each !== undefined && each !== 0).join(":");
  return place === "" ? text : `${place}: ${text}`;
}
