import type { PluginApi } from "../../plugins/js/plugin_api";

/** Adds members to `svc.<name>`, which several parts share. */
export function extend(api: PluginApi, name: string, members: Record<string, unknown>): void {
  api.svc[name] = Object.assign((api.svc[name] ?? {}) as object, members);
}
