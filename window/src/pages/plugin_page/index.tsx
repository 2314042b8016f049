export default function PluginPagePage() {
  return <h1>PluginPage</h1>;
}
