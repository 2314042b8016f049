import { Component, lazy, type ReactNode, Suspense, useMemo, useState } from "react";

import type { DiffProps } from "#sdk/app/components.js";
import type { PluginDiffRendererProps } from "#sdk/app/slots/exclusive.js";

import { counted } from "@/lib/format";
import { ExclusiveSlot } from "@/plugins/exclusive";
import { Button } from "@/ui";
import { HighlightedCode } from "./code_block";

type RendererProps = Omit<PluginDiffRendererProps, "Original" | "experimental_Original">;

const PatchView = lazy(() => import("./patch_view"));

/** The patch as text: while its view is on its way, and when it is none that the view understands. */
function PlainPatch({ patch, overflow }: Pick<RendererProps, "patch" | "overflow">) {
  return (
    <HighlightedCode
      content={patch}
      language="diff"
      overflow={overflow}
      className="min-h-fit rounded-md border border-border bg-surface-recessed-solid py-2"
    />
  );
}

class PlainOnFailure extends Component<{ plain: ReactNode; children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override componentDidCatch(failure: unknown): void {
    console.error("a patch is shown as text", failure);
  }

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.plain : this.props.children;
  }
}

/** Lines of a patch that are laid out before somebody asks for them: each costs a few tenths of a millisecond, all at once. */
const kAtOnce = 3_000;

/** The window's own view of a patch. */
function BuiltinDiff(props: RendererProps) {
  const [asked, setAsked] = useState<string | null>(null);
  const lines = useMemo(() => props.patch.split("\n").length, [props.patch]);
  if (lines > kAtOnce && asked !== props.patch) {
    return (
      <div className="flex flex-wrap items-center gap-3 rounded-md border border-border px-3 py-2 text-sm text-muted-foreground">
        <span>A large patch</span>
        <Button size="sm" variant="secondary" onClick={() => setAsked(props.patch)}>
          Show {counted(lines, "line")}
        </Button>
      </div>
    );
  }
  return <ShownDiff {...props} />;
}

function ShownDiff(props: RendererProps) {
  const plain = <PlainPatch patch={props.patch} overflow={props.overflow} />;
  return (
    // Another patch gets another chance.
    <PlainOnFailure key={props.patch} plain={plain}>
      <Suspense fallback={plain}>
        <PatchView {...props} />
      </Suspense>
    </PlainOnFailure>
  );
}

/** A patch of one file, as the window or a plugin shows it. */
export function Diff({ patch, path, view = "unified" }: DiffProps) {
  const props = useMemo<RendererProps>(
    () => ({
      patch,
      path: path ?? null,
      view,
      overflow: "scroll",
      showLineNumbers: true,
      experimental_fullFileContents: null,
    }),
    [patch, path, view],
  );
  return <ExclusiveSlot kind="diffRenderers" props={props} original={BuiltinDiff} />;
}
