import type { HostRuntime } from "../../jsruntime/js/runtime";
import type { PluginApi } from "../../plugins/js/plugin_api";
import configurationPart from "./configuration";
import eventsPart from "./events";
import hooksPart from "./hooks";
import mentionsPart from "./mentions";
import providersPart from "./providers";
import registriesPart from "./registries";
import toolsPart from "./tools";
import uiPart, { type AskForInput } from "./ui";

/** Who answers what leaves the environment; without one a call says that there is nobody. */
export interface Counterparts {
  ask?: AskForInput;
}

/** What plugins add to agents and threads. Each part sets its member of the `svc` object. */
export default function agentsPart(runtime: HostRuntime, api: PluginApi, { ask }: Counterparts = {}): void {
  configurationPart(runtime, api, toolsPart(runtime, api));
  uiPart(runtime, api, ask);
  mentionsPart(runtime, api);
  eventsPart(runtime, api);
  hooksPart(runtime, api);
  providersPart(runtime, api);
  registriesPart(runtime, api);
}
