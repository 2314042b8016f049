/** Starts loading and replacing app entries; returns what stops it. */
export function startPlugins(): () => void {
  return () => undefined;
}

/** Tries the bundle of a plugin that failed again. Resolves when it is known how that ended; the diagnostics tell. */
export async function retryPlugin(_pluginId: string): Promise<void> {}
