import { useEffect, useMemo } from "react";

import type { Thread } from "#sdk/records.js";

import { useEnvironment } from "@/api/environments";
import { fileUrl } from "@/api/file_content";
import { pathsExist } from "@/api/files";
import { decodePath, folderOf, joinPath, nameOf } from "@/files/path";
import { createJoiner } from "@/lib/join";
import { navigation } from "@/lib/navigation";
import { createStore } from "@/lib/store";
import type { SurfaceContext } from "@/plugins/mount_context";
import { openThreadFile } from "@/plugins/thread_file";
import type { NamedFile, TextFiles } from "@/sdk_app/text_files";

import { isKeptPicture } from "./kept_picture";

/** Milliseconds that join what is asked for; a message has many paths. */
const kAskJoin = { waitMs: 50, maxMs: 200 };
/** Of one request. */
const kPathsAtOnce = 100;

export interface Workspace {
  readonly hostId: string;
  /** Absolute. */
  readonly root: string;
}

/** A path as it is on the machine; null for one that is not below the folder of the thread. */
export function pathIn({ root }: Workspace, path: string): string | null {
  const base = root.endsWith("/") ? root : `${root}/`;
  return path.startsWith("/") ? (path.startsWith(base) ? path : null) : joinPath(root, path);
}

/** The same file has the same path, however it is named: below the folder where it is. */
export function shortPath({ root }: Workspace, path: string): string {
  const base = root.endsWith("/") ? root : `${root}/`;
  return path.startsWith(base) ? path.slice(base.length) : path;
}

/**
 * The file that the address of an image names: one of the folder, or any of the machine by its whole path, as agents put pictures beside it.
 * Null for one of the web, and for what would lead out of the folder.
 */
export function imagePathIn({ root }: Workspace, address: string): string | null {
  const path = decodePath(address.replace(/[?#].*$/, "")).replace(/^(\.\/)+/, "");
  const isAddress = /^([a-z][a-z0-9+.-]*:|\/\/|\\)/i.test(path);
  return path === "" || isAddress || path.split("/").includes("..") ? null : path.startsWith("/") ? path : joinPath(root, path);
}

export interface WorkspaceFilesDeps {
  exist(paths: string[]): Promise<Readonly<Record<string, boolean>>>;
  open(file: NamedFile): void;
  /** Where the browser finds a file, by its absolute path. */
  urlOf(path: string): Promise<string>;
}

/** Files of where a thread works, as far as its texts name them. What was not there is asked for again when it is named again. */
export function createWorkspaceFiles(workspace: Workspace, { exist, open, urlOf }: WorkspaceFilesDeps): TextFiles {
  const there = createStore<ReadonlyMap<string, boolean>>(new Map());
  /** Absolute, by the path that was asked for. */
  const wanted = new Map<string, string>();
  const asked = new Set<string>();
  const look = async (batch: readonly (readonly [path: string, absolute: string])[]) => {
    batch.forEach(([path]) => asked.add(path));
    try {
      const answer = await exist(batch.map(([, absolute]) => absolute));
      there.update((known) => new Map([...known, ...batch.map(([path, absolute]) => [path, answer[absolute] === true] as const)]));
    } catch {
      // A machine that is away: the paths stay text.
    } finally {
      batch.forEach(([path]) => asked.delete(path));
    }
  };
  const join = createJoiner(() => {
    const batch = [...wanted].slice(0, kPathsAtOnce);
    batch.forEach(([path]) => wanted.delete(path));
    if (batch.length > 0) {
      void look(batch);
    }
    if (wanted.size > 0) {
      join();
    }
  }, kAskJoin);
  return {
    there,
    ask: (path) => {
      const absolute = pathIn(workspace, path);
      if (absolute !== null && there.get().get(path) !== true && !asked.has(path)) {
        wanted.set(path, absolute);
        join();
      }
    },
    open: ({ path, line }) => open({ path: shortPath(workspace, path), line }),
    image: (address) => {
      const absolute = imagePathIn(workspace, address);
      return absolute === null
        ? null
        : { path: shortPath(workspace, absolute), isKept: isKeptPicture(absolute), url: () => urlOf(absolute) };
    },
  };
}

/** Opens a file of a thread: beside it where there is a panel for that, else on the page of its machine. */
function openIn({ hostId, root }: Workspace, threadId: string, { panel }: SurfaceContext, { path, line }: NamedFile): void {
  if (panel?.kind === "threadPanelActions") {
    openThreadFile(panel, threadId, { source: "workspace", path, lineNumber: line });
  } else {
    const whole = path.startsWith("/") ? path : joinPath(root, path);
    navigation.toFiles({ hostId, folder: folderOf(whole), file: nameOf(whole), line: line ?? undefined });
  }
}

/** Null while it is not known where the thread works. */
export function useWorkspaceFiles({ id, environmentId, status }: Thread, surface: SurfaceContext): TextFiles | null {
  const { data: environment, refetch } = useEnvironment(environmentId);
  const hostId = environment?.hostId;
  const root = environment?.path ?? undefined;
  const isMade = environment === undefined || root !== undefined;
  useEffect(() => {
    // Its folder is there at the latest when the agent works in it.
    if (!isMade) {
      void refetch();
    }
  }, [isMade, status, refetch]);
  return useMemo(() => {
    if (hostId === undefined || root === undefined) {
      return null;
    }
    const workspace = { hostId, root };
    return createWorkspaceFiles(workspace, {
      exist: (paths) => pathsExist(hostId, paths),
      open: (file) => openIn(workspace, id, surface, file),
      urlOf: (path) => fileUrl(hostId, folderOf(path), nameOf(path)),
    });
  }, [hostId, root, id, surface]);
}
