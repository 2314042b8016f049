import { Component, type ReactNode, Suspense } from "react";

import { describeFailure } from "./diagnostics";
import { explainCrash } from "./explain";
import { reportPluginFailure } from "./failures";
import { useStyles } from "./styles";

interface PluginNodeProps {
  pluginId: string;
  /** What it is part of, as reports name it. */
  slot: string;
  children: ReactNode;
}

/**
 * A node that a plugin hands over for the window to render, outside of every mount (what a toast says). It has the plugin's
 * styles; if it fails there is nothing in its place, and the part of the window that it is shown in goes on. Hooks of the SDK
 * find no plugin in it.
 */
export function PluginNode({ pluginId, slot, children }: PluginNodeProps): ReactNode {
  useStyles(pluginId);
  return (
    <NodeBoundary pluginId={pluginId} slot={slot}>
      <span style={{ display: "contents" }} data-svc-plugin={pluginId} data-svc-plugin-root="">
        <Suspense fallback={null}>{children}</Suspense>
      </span>
    </NodeBoundary>
  );
}

export class NodeBoundary extends Component<PluginNodeProps, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override componentDidCatch(error: unknown): void {
    const { pluginId, slot } = this.props;
    const said = describeFailure(error);
    const message = explainCrash(said.message);
    console.error(`${pluginId}: ${slot} cannot be shown: ${message}`, error);
    reportPluginFailure(pluginId, "render", { ...said, message }, slot);
  }

  override render(): ReactNode {
    return this.state.hasFailed ? null : this.props.children;
  }
}
