import { PatchDiff, useWorkerPool, WorkerPoolContextProvider } from "@pierre/diffs/react";
// In one file: the page sends it the grammars.
import workerUrl from "@pierre/diffs/worker/worker-portable.js?url";
import { type ReactNode, useEffect, useMemo, useState } from "react";

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

/** A patch of a few lines has its colours at once; those of 100 KB of C++ would hold up the window for seconds. */
const kPool = { workerFactory: () => new Worker(workerUrl, { type: "module" }), poolSize: 1, mainThreadMaxCharacters: 5_000 };

/** All patches have their colours from one worker, which knows one theme. */
function ThemeOfPatches({ theme, children }: { theme: string; children: ReactNode }) {
  const pool = useWorkerPool();
  useEffect(() => {
    pool?.setRenderOptions({ theme }).catch((failure: unknown) => console.error("patches keep the colours of another theme", failure));
  }, [pool, theme]);
  return children;
}

function PatchWorker({ theme, children }: { theme: string; children: ReactNode }) {
  const [highlighterOptions] = useState({ theme });
  if (typeof Worker === "undefined") {
    return children;
  }
  return (
    <WorkerPoolContextProvider poolOptions={kPool} highlighterOptions={highlighterOptions}>
      <ThemeOfPatches theme={theme}>{children}</ThemeOfPatches>
    </WorkerPoolContextProvider>
  );
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
    <PatchWorker theme={name}>
      <PatchDiff
        // The view makes elements of its own.
        patch={shownText(normalizePatch(patch, path))}
        options={options}
        className="min-h-fit overflow-hidden rounded-md border border-border"
      />
    </PatchWorker>
  );
}
