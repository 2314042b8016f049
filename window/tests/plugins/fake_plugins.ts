import { definePluginApp } from "#sdk/app/definition.js";
import { interpretPluginApp } from "#sdk/app_policy/collector.js";
import type { PluginRecord, PluginStatus } from "@/api/records";
import type { ActivePlugin } from "@/plugins/types";

/** A record of a running plugin with a bundle; `null` for one without. */
export function record(id: string, hash: string | null, more: Partial<PluginRecord> = {}): PluginRecord {
  const bundle =
    hash === null
      ? null
      : {
          jsUrl: `/api/v1/plugins/${id}/assets/app.js?h=${hash}`,
          cssUrl: null,
          hash,
          jsBytes: 100,
          sdkMajor: 0,
          sdkVersion: "0.4.84",
          compatible: true,
        };
  return {
    id,
    name: `The ${id}`,
    status: "running" as PluginStatus,
    statusDetail: null,
    problems: [],
    lastError: null,
    services: [],
    schedules: [],
    generation: 1,
    app: { hasApp: true, bundle },
    ...more,
  } as PluginRecord;
}

/** With members of its bundle replaced. */
export function withBundle(of: PluginRecord, more: Partial<NonNullable<PluginRecord["app"]["bundle"]>>): PluginRecord {
  return { ...of, app: { ...of.app, bundle: { ...of.app.bundle!, ...more } } };
}

/** An app entry without registrations. */
export const kEmptyApp = interpretPluginApp(definePluginApp(() => undefined));

export function activePlugin(pluginId = "todo", more: Partial<ActivePlugin> = {}): ActivePlugin {
  return { pluginId, name: "Todo", hash: "h1", generation: 1, serverGeneration: 1, app: kEmptyApp, ...more };
}
