import type { HostRuntime } from "../../jsruntime/js/runtime";
import type { PluginApi } from "../../plugins/js/plugin_api";

/** Lists a member that was used in `unsupported[]` when nothing in this service acts on it. */
export function reportUnlessServed(runtime: HostRuntime, api: PluginApi, member: string): void {
  if (runtime.callSync("agents.isServed", member) === "no") {
    api.unsupported(member);
  }
}
