/** Holds the plugin's stylesheet while the component is mounted; false until it can be rendered with it. */
export function useStyles(_pluginId: string): boolean {
  return true;
}
