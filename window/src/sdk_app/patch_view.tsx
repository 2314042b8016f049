import { PatchDiff } from "@pierre/diffs/react";
import { useMemo } from "react";

import type { PluginDiffRendererProps } from "#sdk/app/slots/exclusive.js";

import { shownText } from "@/lib/shown_text";
import { useCodeTheme } from "@/lib/theme";

/**
 * The view reads prefixes of paths only in patches of git: without them, a changed file would look like a renamed one. A patch
 * that does not say which file it is of takes the path it came with.
 */
export function normalizePatch(patch: string, path: string | null): string {
  if (/^diff --git /m.test(patch)) {
    return patch;
  }
  if (/^--- /m.test(patch)) {
    return patch.replace(/^--- a\//m, "--- ").replace(/^\+\+\+ b\//m, "+++ ");
  }
  return path === null ? patch : `--- ${path}\n+++ ${path}\n${patch}`;
}

/** A patch, drawn by the diff library: large, so loaded with the first patch. */
export default function PatchView({
  patch,
  path,
  view,
  overflow,
  showLineNumbers,
}: Omit<PluginDiffRendererProps, "Original" | "experimental_Original" | "experimental_fullFileContents">) {
  const { name, mode } = useCodeTheme();
  const options = useMemo(
    () => ({
      theme: name,
      themeType: mode,
      diffStyle: view,
      overflow,
      disableLineNumbers: !showLineNumbers,
    }),
    [name, mode, view, overflow, showLineNumbers],
  );
  return (
    <PatchDiff
      // The view makes elements of its own.
      patch={shownText(normalizePatch(patch, path))}
      options={options}
      disableWorkerPool
      className="min-h-fit overflow-hidden rounded-md border border-border"
    />
  );
}
