/** `/settings/plugins/:pluginId/logs`: the live log of one plugin. */
export default function PluginLogsPage() {
  return <h1 tabIndex={-1}>Logs</h1>;
}
