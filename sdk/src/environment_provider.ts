// `@get-svc/plugin-sdk/environment-provider`: what `svc.experimental_environments.register` takes. This version of the service
// accepts and checks a registration, lists it in `unsupported[]` of the plugin's record, and does not use it.
export type { Availability, EnvironmentRegistration, PluginEnvironments } from "./registries.js";
export type { Environment, Host, MachineState, Project } from "./records.js";
