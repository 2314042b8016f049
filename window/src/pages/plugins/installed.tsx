/** `/plugins`: installed plugins, and with `?view=browse` the catalogue. */
export default function PluginsPage() {
  return <h1 tabIndex={-1}>Plugins</h1>;
}
