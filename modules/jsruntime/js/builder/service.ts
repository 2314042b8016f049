/**
 * The one process of the bundler. It can die of a source (its parser recurses), or be killed: whoever built then builds
 * once more, alone, so that the source that kills it is known and the others go on.
 */
import type * as Esbuild from "esbuild";

/** How long a repeated build may keep the others waiting. */
const kAloneMs = 60_000;

export class BundlerDied extends Error {}

export const isDeath = (error: unknown): boolean =>
  error instanceof Error && /^The service (?:was stopped|is no longer running)/.test(error.message);

export class BundlerService {
  readonly #esbuild: Pick<typeof Esbuild, "build" | "stop">;
  /** Ends when no build has to be alone. */
  #alone: Promise<unknown> | undefined;

  constructor(esbuild: Pick<typeof Esbuild, "build" | "stop">) {
    this.#esbuild = esbuild;
  }

  /** Rejects with the BuildFailure of the bundler, or with BundlerDied. */
  async build(options: Esbuild.BuildOptions): Promise<Esbuild.BuildResult> {
    while (this.#alone) {
      await this.#alone;
    }
    try {
      return await this.#esbuild.build(options);
    } catch (error) {
      if (!isDeath(error)) {
        throw error;
      }
    }
    const turn: Promise<Esbuild.BuildResult> = (this.#alone ?? Promise.resolve()).then(() => this.#buildAlone(options));
    const ended = turn
      .catch(() => undefined)
      .then(() => {
        if (this.#alone === ended) {
          this.#alone = undefined;
        }
      });
    this.#alone = ended;
    return turn;
  }

  async #buildAlone(options: Esbuild.BuildOptions): Promise<Esbuild.BuildResult> {
    await this.#esbuild.stop(); // drops the handle of the dead process
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new BundlerDied(`the bundler (esbuild) did not come to an end in ${kAloneMs / 1000} s`)), kAloneMs);
    });
    try {
      return await Promise.race([this.#esbuild.build(options), tooLong]);
    } catch (error) {
      if (error instanceof BundlerDied || isDeath(error)) {
        await this.#esbuild.stop();
      }
      throw isDeath(error) ? new BundlerDied(kDiedTwice) : error;
    } finally {
      clearTimeout(timer);
    }
  }
}

export const kDiedTwice =
  "the bundler (esbuild) died of these sources twice, the second time with nothing else to build: " +
  "look for a file that is nested very deeply or is very large, usually a generated one";
