import { createInterface } from "node:readline";
import { isAbsolute, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { buildApp } from "./app_build";
import { Bundler } from "./contexts";
import { type Manifest, type Target, readManifest } from "./manifest";
import { messagesOf } from "./messages";
import { buildHost, buildServer } from "./node_build";
import { preciseNow, replaceFiles } from "./stage";
import type { Contents, Job } from "./target";

interface Request {
  id: number;
  root: string;
  targets: Target[];
  minify: boolean;
  foreign: boolean;
}

type Report = (line: Record<string, unknown>) => void;

const builders: Record<Target, (job: Job, entry: string) => Promise<Contents>> = { server: buildServer, app: buildApp, host: buildHost };
const isTarget = (value: unknown): value is Target => typeof value === "string" && Object.hasOwn(builders, value);

const kToolchain = fileURLToPath(new URL(".", import.meta.url)).replace(/\/$/, "");

/** One target of a request, with the times and failures of it. */
class Step {
  readonly #report: Report;
  readonly #start = performance.now();

  constructor(
    readonly target: Target,
    id: number,
    say: Report,
  ) {
    this.#report = (line) => say({ id, target, ...line });
  }

  async build(manifest: Manifest, request: Request, bundler: Bundler): Promise<Contents | undefined> {
    const entry = manifest.entries[this.target];
    if (entry === undefined) {
      this.#end("absent");
      return undefined;
    }
    const contents = await builders[this.target](
      {
        manifest,
        bundler,
        minify: request.minify,
        foreign: request.foreign,
        toolchain: kToolchain,
        progress: (message) => this.#report({ type: "progress", message }),
        warning: (message) => this.#report({ type: "warning", ...message }),
      },
      entry,
    );
    this.#end("built");
    return contents;
  }

  fail(failure: unknown): void {
    for (const message of messagesOf(failure)) {
      this.#report({ type: "error", ...message });
    }
    this.#end("failed");
  }

  wrote(contents: Contents): void {
    for (const [name, bytes] of Object.entries(contents)) {
      if (bytes !== undefined) {
        this.#report({ type: "wrote", path: `dist/${name}`, bytes: Buffer.byteLength(bytes) });
      }
    }
  }

  #end(type: string): void {
    this.#report({ type, ms: Math.round(performance.now() - this.#start) });
  }
}

/** Builds every target, then replaces the files of all: a failure leaves everything as it was. */
async function build(request: Request, bundler: Bundler, say: Report): Promise<boolean> {
  const built = new Map<Target, Contents>();
  const steps: Step[] = [];
  const began = preciseNow();
  try {
    for (const target of request.targets) {
      steps.push(new Step(target, request.id, say));
      const manifest = readManifest(request.root);
      const contents = await steps.at(-1)!.build(manifest, request, bundler);
      if (contents !== undefined) {
        built.set(target, contents);
      }
    }
    if (built.size > 0) {
      replaceFiles(request.root, built, began);
    }
  } catch (failure) {
    steps.at(-1)?.fail(failure);
    return false;
  }
  for (const step of steps) {
    step.wrote(built.get(step.target) ?? {});
  }
  return true;
}

/** Builds every target and writes nothing: each says what is wrong with it. */
async function check(request: Request, bundler: Bundler, say: Report): Promise<boolean> {
  let ok = true;
  for (const target of request.targets) {
    const step = new Step(target, request.id, say);
    try {
      await step.build(readManifest(request.root), request, bundler);
    } catch (failure) {
      step.fail(failure);
      ok = false;
    }
  }
  return ok;
}

async function run(request: Request, bundler: Bundler, say: Report, work = build): Promise<boolean> {
  const ok = await work(request, bundler, say);
  say({ id: request.id, type: "done", ok });
  return ok;
}

function parseRequest(line: string): Request | undefined {
  try {
    const { id, root, targets, minify, foreign } = JSON.parse(line) as Partial<Request>;
    if (typeof id !== "number" || typeof root !== "string" || !isAbsolute(root)) {
      return undefined;
    }
    if (!Array.isArray(targets) || !targets.every(isTarget)) {
      return undefined;
    }
    return { id, root, targets, minify: minify !== false, foreign: foreign === true };
  } catch {
    return undefined;
  }
}

const printJson: Report = (line) => void process.stdout.write(`${JSON.stringify(line)}\n`);

/** For people who run the program themselves. */
const printText: Report = ({ type, path, bytes, text, file, line, column, message }) => {
  if (type === "wrote") {
    console.log(`${String(path)} (${String(bytes)} bytes)`);
  } else if (type === "progress") {
    console.error(String(message));
  } else if (type === "error" || type === "warning") {
    const place = file === undefined ? "" : `${String(file)}${line === undefined ? "" : `:${String(line)}:${String(column)}`}: `;
    console.error(`${type}: ${place}${String(text)}`);
  }
};

async function serve(): Promise<void> {
  const bundler = new Bundler(true);
  const lines = createInterface({ input: process.stdin });
  // Whoever asked has gone: nothing that runs is of use.
  lines.on("close", () => process.exit(0));
  let last = Promise.resolve();
  lines.on("line", (line) => {
    const request = parseRequest(line);
    if (request === undefined) {
      printJson({ type: "fatal", text: "not a build request" });
    } else {
      last = last.then(async () => void (await run(request, bundler, printJson)));
    }
  });
  await new Promise(() => {});
}

const kUsage = "usage: build.mjs build|check --root <dir> [--server] [--app] [--host] [--minify | --dev] [--json]\n       build.mjs serve";

function parseArguments(words: readonly string[]): { request: Request; json: boolean } | undefined {
  const request: Request = { id: 0, root: "", targets: [], minify: true, foreign: false };
  let json = false;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at]!;
    if (word === "--root") {
      request.root = resolve(words[(at += 1)] ?? "");
    } else if (word === "--dev") {
      request.minify = false;
    } else if (word === "--minify") {
      request.minify = true;
    } else if (word === "--json") {
      json = true;
    } else if (word.startsWith("--") && isTarget(word.slice(2))) {
      request.targets.push(word.slice(2) as Target);
    } else {
      return undefined;
    }
  }
  if (request.targets.length === 0) {
    request.targets = ["server", "app", "host"];
  }
  return request.root === "" ? undefined : { request, json };
}

export async function main(words: readonly string[]): Promise<void> {
  // Whoever reads has gone.
  process.stdout.on("error", () => process.exit(1));
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => process.exit(1));
  }
  if (words[0] === "serve" && words.length === 1) {
    await serve();
    return;
  }
  const work = words[0] === "build" ? build : words[0] === "check" ? check : undefined;
  const parsed = work === undefined ? undefined : parseArguments(words.slice(1));
  if (parsed === undefined) {
    console.error(kUsage);
    process.exitCode = 2;
    return;
  }
  const ok = await run(parsed.request, new Bundler(false), parsed.json ? printJson : printText, work);
  process.exitCode = ok ? 0 : 1;
}
