/** Set when the app is built. */
declare const __SVC_PLUGIN_ID__: string | undefined;

const kScope = {
  "data-svc-portaled-overlay": "",
  "data-svc-plugin-root": "",
  ...(typeof __SVC_PLUGIN_ID__ === "string" ? { "data-svc-plugin": __SVC_PLUGIN_ID__ } : {}),
};

/**
 * Attributes for the root of everything rendered through a portal. It leaves the plugin's part of the page, and these
 * attributes are what the plugin's styles find it by.
 */
export function usePortalScopeProps(): typeof kScope {
  return kScope;
}
