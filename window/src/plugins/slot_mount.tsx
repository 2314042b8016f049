import { Component, Suspense, useInsertionEffect, useMemo, useState, type ComponentType, type ErrorInfo, type ReactNode } from "react";

import { CrashPage } from "./crash_page";
import { CrashPill } from "./crash_pill";
import { recordCrash, useCrash, type SlotCrash } from "./crashes";
import { describeFailure } from "./diagnostics";
import { explainCrash } from "./explain";
import { reportPluginFailure } from "./failures";
import { PluginMountContext, type PluginMount, type SurfaceContext } from "./mount_context";
import { Ownership } from "./ownership";
import { NodeBoundary } from "./plugin_node";
import { RemovalBoundary } from "./removal_boundary";
import { useStyles } from "./styles";
import type { ActivePlugin } from "./types";

export type { SlotCrash } from "./crashes";
export type { SurfaceContext } from "./mount_context";

export interface SlotMountProps<P extends object> {
  plugin: ActivePlugin;
  /** The name of the registration, for example `navPanel`. */
  slot: string;
  /** The id of the registration. */
  id: string;
  /** Where one slot mounts many times: message, pane, tab, composer. */
  instanceId?: string;
  surface?: SurfaceContext;
  component: ComponentType<P>;
  props: P;
  /** What is shown in place of a crashed mount. Default: a pill that names the plugin; `page`: what a page that could not be loaded shows. */
  fallback?: "pill" | "page" | "none" | ReactNode | ((crash: SlotCrash) => ReactNode);
  /** What is shown while the component waits for something without a `Suspense` of its own. Default: nothing. */
  pending?: ReactNode;
}

/**
 * One mount of a plugin's component: its hooks find the plugin, a crash stays inside, its stylesheet is held. A replacement of
 * the plugin mounts it anew.
 */
export function SlotMount<P extends object>({ fallback = "pill", ...mount }: SlotMountProps<P>): ReactNode {
  const { plugin, slot, id, instanceId = null } = mount;
  const crash = useCrash({ pluginId: plugin.pluginId, slot, id, instanceId });
  // Another generation, and another mount in the same place of the page, starts from nothing.
  const key = JSON.stringify([plugin.pluginId, plugin.generation, slot, id, instanceId]);
  return (
    <RemovalBoundary>
      {crash === undefined ? (
        <MountBoundary key={key} plugin={plugin} slot={slot} id={id} instanceId={instanceId}>
          <MountedComponent {...mount} />
        </MountBoundary>
      ) : (
        showFallback(fallback, crash)
      )}
    </RemovalBoundary>
  );
}

function showFallback(fallback: SlotMountProps<object>["fallback"], crash: SlotCrash): ReactNode {
  if (typeof fallback === "function") {
    return fallback(crash);
  }
  if (fallback === "pill") {
    return <CrashPill crash={crash} />;
  }
  if (fallback === "page") {
    return <CrashPage crash={crash} />;
  }
  return fallback === "none" ? null : fallback;
}

function MountedComponent<P extends object>({
  plugin,
  slot,
  id,
  instanceId = null,
  surface = null,
  component: Slot,
  props,
  pending = null,
}: Omit<SlotMountProps<P>, "fallback" | "instanceId" | "surface"> & {
  instanceId?: string | null;
  surface?: SurfaceContext | null;
}): ReactNode {
  const [ownership] = useState(() => new Ownership());
  // Insertion effects run before every other effect of the subtree and only once in StrictMode, so a child's effect never finds
  // an ownership that has ended.
  useInsertionEffect(() => {
    ownership.start();
    return () => ownership.end();
  }, [ownership]);
  const stableSurface = useStableSurface(surface);
  const mount = useMemo<PluginMount>(
    () => ({ plugin, slot, id, instanceId, surface: stableSurface, own: ownership.own, hasEnded: ownership.hasEnded }),
    [plugin, slot, id, instanceId, stableSurface, ownership],
  );
  const isStyled = useStyles(plugin.pluginId);
  return (
    <PluginMountContext value={mount}>
      <div style={{ display: "contents" }} data-svc-plugin={plugin.pluginId} data-svc-plugin-root="">
        {isStyled && (
          // Without a boundary of its own, a component that waits would take the page or the whole window with it.
          <Suspense fallback={pending}>
            <Slot {...props} />
          </Suspense>
        )}
      </div>
    </PluginMountContext>
  );
}

/** The same object while its members are the same: every hook of the mount depends on it, and callers write it in place. */
function useStableSurface(surface: SurfaceContext | null): SurfaceContext | null {
  const isThere = surface !== null;
  const { projectId = null, threadId = null, composerKey, panel, isCompact } = surface ?? {};
  return useMemo(
    () =>
      isThere
        ? {
            projectId,
            threadId,
            ...(composerKey === undefined ? {} : { composerKey }),
            ...(panel === undefined ? {} : { panel }),
            ...(isCompact === undefined ? {} : { isCompact }),
          }
        : null,
    [isThere, projectId, threadId, composerKey, panel, isCompact],
  );
}

interface BoundaryProps {
  plugin: ActivePlugin;
  slot: string;
  id: string;
  instanceId: string | null;
  children: ReactNode;
}

/** Turns a crash into a mark, which is what shows the fallback. */
export class MountBoundary extends Component<BoundaryProps, { hasCrashed: boolean }> {
  override state = { hasCrashed: false };

  static getDerivedStateFromError(): { hasCrashed: boolean } {
    return { hasCrashed: true };
  }

  override componentDidCatch(error: unknown, { componentStack }: ErrorInfo): void {
    const { plugin, slot, id, instanceId } = this.props;
    const said = describeFailure(error);
    const message = explainCrash(said.message);
    console.error(`${plugin.pluginId}: ${slot} "${id}" stopped working: ${message}`, error, componentStack ?? "");
    reportPluginFailure(plugin.pluginId, "render", { ...said, message }, `${slot} ${id}`);
    recordCrash({
      pluginId: plugin.pluginId,
      pluginName: plugin.name,
      slot,
      id,
      instanceId,
      error,
      ...said,
      message,
      ...(componentStack == null ? {} : { componentStack }),
      at: Date.now(),
    });
  }

  override render(): ReactNode {
    return this.state.hasCrashed ? null : this.props.children;
  }
}

/**
 * For `onCaughtError` of the window's root: React would write a second error to the console for what a boundary of plugins has
 * written already.
 */
export function onCaughtError(error: unknown, info: { componentStack?: string | undefined; errorBoundary?: unknown }): void {
  const { errorBoundary } = info;
  const isWritten =
    errorBoundary instanceof MountBoundary ||
    errorBoundary instanceof NodeBoundary ||
    (errorBoundary instanceof RemovalBoundary && RemovalBoundary.ownerOf(error) !== null);
  if (!isWritten) {
    console.error(error, info.componentStack ?? "");
  }
}
