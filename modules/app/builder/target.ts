import type { Bundler } from "./contexts";
import type { Manifest } from "./manifest";
import type { Message } from "./messages";

/** What a target is built with. */
export interface Job {
  manifest: Manifest;
  minify: boolean;
  /** Nobody trusts the package yet: nothing of it runs. */
  foreign: boolean;
  bundler: Bundler;
  /** Directory with the packages of the build. */
  toolchain: string;
  progress(message: string): void;
  warning(message: Message): void;
}

/** Files of dist by name; undefined for one that must not be there. */
export type Contents = Record<string, string | Uint8Array | undefined>;
