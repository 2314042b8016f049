import { definePluginApp } from "#sdk/app/definition.js";
import { definePluginHooks } from "#sdk/app/plugin_hooks.js";
import type { PluginSdkAppRuntime } from "#sdk/app/runtime.js";

import { kComponents } from "./components";
import { kHooks } from "./hooks";

/** `@get-svc/plugin-sdk/app` as bundles see it in the window. */
export const pluginSdkApp: PluginSdkAppRuntime = Object.freeze({ definePluginApp, definePluginHooks, ...kHooks, ...kComponents });
