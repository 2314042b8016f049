// `@get-svc/plugin-sdk/provider-bridge`: what `svc.providers.register` takes. A declared provider is listed; its
// `experimental_bridgeOptions` and `deriveProviderOptions` are accepted and checked, and not used by this version of the service.
export type { PluginProviders, ProviderDeclaration } from "./hosts.js";
export type { Model, PermissionMode, Provider, ProviderCapabilities, ReasoningLevel } from "./records.js";
