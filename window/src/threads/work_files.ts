import { type NamedFile, namedFile } from "@/sdk_app/text_files";
import type { WorkRow } from "./work_titles";

/** How tools of agents call the file that they are about. */
const kPathArguments = ["file_path", "filePath", "path", "file", "filename", "absolute_path"] as const;

/** The file that is there once a row is done; null for rows that are about none, or about one that goes. */
export function fileOf(row: WorkRow): NamedFile | null {
  switch (row.workKind) {
    case "file-change": {
      const { kind, path, movePath } = row.change;
      // What somebody is asked about, or has denied, is where it was.
      const isDone = row.status === "completed";
      return kind === "delete" || (kind === "add" && !isDone) ? null : { path: isDone ? (movePath ?? path) : path, line: null };
    }
    case "image-view":
      return { path: row.path, line: null };
    case "command": {
      const [intent] = row.activityIntents;
      return row.activityIntents.length === 1 && intent?.type === "read" && intent.path !== undefined
        ? { path: intent.path, line: null }
        : null;
    }
    case "tool": {
      const named = kPathArguments.map((name) => row.toolArgs?.[name]).find((value) => typeof value === "string");
      return typeof named === "string" ? namedFile(named) : null;
    }
    default:
      return null;
  }
}
