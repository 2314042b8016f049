/** What the window (or the test runtime) supplies as `@get-svc/plugin-sdk/app`: the facade itself, so that types cannot drift. */
export type PluginSdkAppRuntime = typeof import("./hooks.js") &
  typeof import("./components.js") &
  Pick<typeof import("./definition.js"), "definePluginApp"> &
  Pick<typeof import("./plugin_hooks.js"), "definePluginHooks">;

interface RuntimeGlobal {
  __svcPluginRuntime?: { pluginSdkApp?: Partial<PluginSdkAppRuntime>; sharedUiIcon?: { [name: string]: unknown } };
}

/**
 * The implementation of an export. Looked up at each use, never at import: type checks, tests and servers import this module
 * outside of a window.
 */
export function runtime<Name extends keyof PluginSdkAppRuntime>(name: Name): PluginSdkAppRuntime[Name] {
  const slot = (globalThis as RuntimeGlobal).__svcPluginRuntime?.pluginSdkApp;
  if (slot === undefined) {
    throw new Error(
      `${name} of @get-svc/plugin-sdk/app works only inside the app window; in a test, load the app with ` +
        "loadPluginApp of @get-svc/plugin-sdk/testing/app first",
    );
  }
  const found = slot[name];
  if (found === undefined) {
    throw new Error(`this app window has no ${name} (@get-svc/plugin-sdk/app): update the service, or do without it`);
  }
  return found as PluginSdkAppRuntime[Name];
}
