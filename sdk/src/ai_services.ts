// `@get-svc/plugin-sdk/ai-services`: what `svc.experimental_aiServices.register` takes. This version of the service accepts and
// checks a registration, lists it in `unsupported[]` of the plugin's record, and does not use it.
export type { AiServiceRegistration, PluginAiServices } from "./registries.js";
