// `@get-svc/plugin-sdk/machine-provider`: what `svc.experimental_machines.register` takes. This version of the service accepts and
// checks a registration, lists it in `unsupported[]` of the plugin's record, and does not use it.
export type { Availability, MachineRegistration, PluginMachines } from "./registries.js";
export type { Host, MachineState } from "./records.js";
