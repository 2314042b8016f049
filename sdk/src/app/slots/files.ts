// Views of files.
import type { ComponentType } from "../react.js";

/** Where a file lies. */
export interface PluginFileSource {
  /** `workspace`: the folder of an environment; `host`: a machine; `thread-storage`: the thread's own folder on the server's machine. */
  kind: "workspace" | "host" | "thread-storage";
  /** The thread beside which the file is shown; null when there is none. */
  threadId: string | null;
  environmentId: string | null;
  projectId: string | null;
  /** Of the kind `host`. Default: the server's machine. */
  experimental_hostId?: string;
}

/** Props of the component that shows a file. */
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

/**
 * A view of files by their extension, as `slots.fileOpener` takes it. The first plugin in slot order shows a file; the user may pin
 * another one.
 */
export interface FileOpenerRegistration {
  id: string;
  title: string;
  /** At least one, lower-case letters and digits, without the dot. */
  extensions: readonly string[];
  component: ComponentType<PluginFileOpenerProps>;
}
