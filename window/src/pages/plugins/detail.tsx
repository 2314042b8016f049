/** `/plugins/:pluginId`: everything about one plugin. */
export default function PluginDetailPage() {
  return <h1 tabIndex={-1}>Plugin</h1>;
}
