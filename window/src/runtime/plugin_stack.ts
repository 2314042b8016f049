/** Deep enough for a call that comes through a plugin's own component library. */
const kFrames = 50;

const kAssetUrl = /\/api\/v1\/plugins\/([^/?#\s]+)\/assets\//;
const kStackLimit = Error as { stackTraceLimit?: number };

/**
 * The plugin whose bundle is on the stack: for calls that arrive without a mount, such as `toast()` from an event handler. Null
 * when it is the window's own code.
 */
export function pluginOnStack(): string | null {
  const limit = kStackLimit.stackTraceLimit;
  kStackLimit.stackTraceLimit = kFrames;
  const { stack } = new Error();
  if (limit !== undefined) {
    kStackLimit.stackTraceLimit = limit;
  }
  return pluginInStack(stack);
}

/** The first plugin that a stack trace names. */
export function pluginInStack(stack: string | undefined): string | null {
  const id = stack === undefined ? undefined : kAssetUrl.exec(stack)?.[1];
  if (id === undefined) {
    return null;
  }
  try {
    return decodeURIComponent(id);
  } catch {
    return null;
  }
}
