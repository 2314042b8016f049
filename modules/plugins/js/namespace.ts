import type { SvcPluginApi } from "../../../sdk/src/api";
import type { PluginApi, SharedNamespace } from "./plugin_api";

/** Adds members to `svc.<name>`, which several parts share. */
export function extend<Name extends SharedNamespace>(api: PluginApi, name: Name, members: Partial<SvcPluginApi[Name]>): void {
  const shared: { [Each in Name]?: Partial<SvcPluginApi[Each]> } = api.svc;
  shared[name] = Object.assign(shared[name] ?? {}, members);
}
