import { type BuildOptions, type BuildResult, build, context, stop } from "esbuild";

import { BuildError } from "./messages";

type Result = BuildResult<{ metafile: true; write: false }>;
type Warm = Awaited<ReturnType<typeof context>>;

const isDeath = (failure: unknown): boolean =>
  failure instanceof Error && /^The service (?:was stopped|is no longer running)/.test(failure.message);

/** More plugins than these are not developed at once. */
const kKept = 8;

const kDiedTwice =
  "the bundler (esbuild) died of these sources twice: look for a file that is nested very deeply or is very large, usually a generated one";

/** Runs esbuild; when warm, with the files of the last build of the same target still parsed. */
export class Bundler {
  readonly #warm: boolean;
  readonly #contexts = new Map<string, Promise<Warm>>();

  constructor(warm: boolean) {
    this.#warm = warm;
  }

  /** esbuild's one process may die, of these sources or because it is killed: it is started again, and they are built once more. */
  async run(key: string, options: BuildOptions): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#run(key, options);
      } catch (failure) {
        if (!isDeath(failure)) {
          throw failure;
        }
        this.#contexts.clear();
        await stop();
        if (attempt === 2) {
          throw new BuildError(kDiedTwice);
        }
      }
    }
  }

  async #run(key: string, options: BuildOptions): Promise<Result> {
    const full = { ...options, metafile: true, write: false, logLevel: "silent" } as const;
    if (!this.#warm) {
      return await build(full);
    }
    const kept = this.#contexts.get(key);
    this.#contexts.delete(key);
    const chosen = kept ?? context(full);
    this.#contexts.set(key, chosen);
    if (this.#contexts.size > kKept) {
      await this.#dropOldest();
    }
    const warm = await chosen.catch((failure: unknown) => {
      this.#contexts.delete(key);
      throw failure;
    });
    return (await warm.rebuild()) as Result;
  }

  async close(): Promise<void> {
    while (this.#contexts.size > 0) {
      await this.#dropOldest();
    }
  }

  async #dropOldest(): Promise<void> {
    const [key, oldest] = [...this.#contexts][0]!;
    this.#contexts.delete(key);
    await (await oldest).dispose();
  }
}
