import type { HostRuntime } from "../../jsruntime/js/runtime";
import type { PluginApi } from "../../plugins/js/plugin_api";
import configurationPart from "./configuration";
import eventsPart from "./events";
import hooksPart from "./hooks";
import hostsPart from "./hosts";
import mentionsPart from "./mentions";
import providersPart from "./providers";
import registriesPart from "./registries";
import toolsPart from "./tools";
import uiPart from "./ui";

/** What plugins add to agents, threads and hosts. Each part sets its member of the `svc` object. */
export default function agentsPart(runtime: HostRuntime, api: PluginApi): void {
  toolsPart(runtime, api);
  configurationPart(runtime, api);
  uiPart(runtime, api);
  mentionsPart(runtime, api);
  eventsPart(runtime, api);
  hooksPart(runtime, api);
  hostsPart(runtime, api);
  providersPart(runtime, api);
  registriesPart(runtime, api);
}
