// Views of files.
import type { ComponentType } from "../react.js";

/** Where a file lies. */
export interface PluginFileSource {
  kind: "workspace" | "host" | "thread-storage";
  threadId: string | null;
  environmentId: string | null;
  projectId: string | null;
  experimental_hostId?: string;
}

export interface PluginFileOpenerProps {
  path: string;
  source: PluginFileSource;
  /** Lines count from 1; `end` is included. */
  experimental_lineRange?: { start: number; end: number };
  /** The built-in view of the file. */
  Original: ComponentType;
  /** Older name of `Original`. */
  experimental_Original: ComponentType;
}

export interface FileOpenerRegistration {
  id: string;
  title: string;
  /** At least one, lower-case letters and digits, without the dot. */
  extensions: readonly string[];
  component: ComponentType<PluginFileOpenerProps>;
}
