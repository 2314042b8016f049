import { PatchDiff } from "@pierre/diffs/react";
import { useMemo } from "react";

import type { PluginDiffRendererProps } from "#sdk/app/slots_more.js";

import { useCodeTheme } from "../shell/theme";

/** A unified diff of one file needs to say which file it is of; without, the path does. */
function withHeader(patch: string, path: string | null): string {
  if (/^(diff --git |--- )/m.test(patch) || path === null) {
    return patch;
  }
  return `--- a/${path}\n+++ b/${path}\n${patch}`;
}

/** A patch, drawn by the diff library: large, so loaded with the first patch. */
export default function PatchView({
  patch,
  path,
  view,
  overflow,
  showLineNumbers,
}: Omit<PluginDiffRendererProps, "Original" | "experimental_fullFileContents">) {
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
  return <PatchDiff patch={withHeader(patch, path)} options={options} disableWorkerPool className="min-h-fit overflow-hidden rounded-md border border-border" />;
}
