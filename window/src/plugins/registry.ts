export { activePluginsNow, registrationsNow, useActivePlugins, useRegistrations } from "./active";
export { useCrash, useCrashes, type SlotCrash } from "./crashes";
export { describeFailure, useAllDiagnostics, useDiagnostics } from "./diagnostics";
export type { ActivePlugin, FailurePhase, PluginDiagnostics, PluginFailure, Registered, RegistrationKinds } from "./types";
export { addPluginUnsupported, addPluginWarning, reportPluginFailure } from "./failures";
export { setDisclosureFactory, type DisclosureFactory } from "./disclosures";
export { useThreadRowStatuses, type ThreadRowStatus } from "./thread_rows";
export { retryPlugin, startPlugins } from "./window_plugins";
