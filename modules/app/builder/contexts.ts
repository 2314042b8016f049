import { type BuildOptions, type BuildResult, build, context } from "esbuild";

type Warm = Awaited<ReturnType<typeof context>>;

/** More plugins than these are not developed at once. */
const kKept = 8;

/** Runs esbuild; when warm, with the files of the last build of the same target still parsed. */
export class Bundler {
  readonly #warm: boolean;
  readonly #contexts = new Map<string, Promise<Warm>>();

  constructor(warm: boolean) {
    this.#warm = warm;
  }

  async run(key: string, options: BuildOptions): Promise<BuildResult<{ metafile: true; write: false }>> {
    const full = { ...options, metafile: true, write: false, logLevel: "silent" } as const;
    if (!this.#warm) return await build(full);
    const kept = this.#contexts.get(key);
    this.#contexts.delete(key);
    const chosen = kept ?? context(full);
    this.#contexts.set(key, chosen);
    if (this.#contexts.size > kKept) await this.#dropOldest();
    return await (await chosen).rebuild() as BuildResult<{ metafile: true; write: false }>;
  }

  async close(): Promise<void> {
    while (this.#contexts.size > 0) await this.#dropOldest();
  }

  async #dropOldest(): Promise<void> {
    const [key, oldest] = [...this.#contexts][0]!;
    this.#contexts.delete(key);
    await (await oldest).dispose();
  }
}
