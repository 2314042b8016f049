import type { Manifest } from "./manifest";

/** What every artifact says about itself; the service reads `sdkMajor` to tell whether it can load it. */
export function artifactMeta(manifest: Manifest): Record<string, unknown> {
  return {
    sdkMajor: Number(__SDK_VERSION__.split(".")[0]),
    sdkVersion: __SDK_VERSION__,
    artifactFormatVersion: 1,
    pluginId: manifest.id,
    pluginVersion: manifest.version,
    builtWith: { svcVersion: __SVC_VERSION__, pluginSdkVersion: __SDK_VERSION__ },
  };
}

export const metaText = (meta: Record<string, unknown>): string => `${JSON.stringify(meta, null, 2)}\n`;
