import { Component, type ErrorInfo, type ReactNode } from "react";

import { pluginOfStack } from "./attribution";
import { describeFailure } from "./diagnostics";
import { reportPluginFailure } from "./failures";

/** Failures that are got over in `kTimesMs` milliseconds; more of them are no removals any more. */
const kTimes = 5;
const kTimesMs = 5000;

interface State {
  failure: { readonly error: unknown } | null;
}

/**
 * Around what plugins' mounts come and go in. React hands what plugin code throws while it is removed (a ref callback,
 * `componentWillUnmount`) to the boundaries above the place it was removed from, where the mount's own boundary is gone as well.
 * The children are mounted anew, as there was nothing wrong with them. Every other failure goes on to the boundary above.
 */
export class RemovalBoundary extends Component<{ children: ReactNode }, State> {
  override state: State = { failure: null };
  #times: number[] = [];

  /** The plugin whose code threw; null when it was the window's. */
  static ownerOf(error: unknown): string | null {
    return pluginOfStack(describeFailure(error).stack);
  }

  static getDerivedStateFromError(error: unknown): State {
    return { failure: { error } };
  }

  override componentDidCatch(error: unknown, { componentStack }: ErrorInfo): void {
    const pluginId = RemovalBoundary.ownerOf(error);
    if (pluginId === null) {
      return;
    }
    console.error(`${pluginId}: a component failed while it was removed`, error, componentStack ?? "");
    reportPluginFailure(pluginId, "dispose", error);
    const now = Date.now();
    this.#times = [...this.#times.filter((time) => time > now - kTimesMs), now];
    this.setState({ failure: this.#times.length > kTimes ? { error } : null });
  }

  override render(): ReactNode {
    const { failure } = this.state;
    if (failure === null) {
      return this.props.children;
    }
    if (RemovalBoundary.ownerOf(failure.error) === null || this.#times.length > kTimes) {
      throw failure.error;
    }
    // Nothing for this one render: the children are removed with it, and may throw in their turn.
    return null;
  }
}
