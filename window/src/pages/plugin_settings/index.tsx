/** `/settings/plugins/:pluginId`: the generated settings form of one plugin and its own sections. */
export default function PluginSettingsPage() {
  return <h1 tabIndex={-1}>Settings</h1>;
}
