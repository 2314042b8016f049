export { experimental_createHostEntryHarness } from "../host_testing/index.js";
export type { EmittedSignal, HostEntryHarness, HostEntryHarnessOptions } from "../host_testing/types.js";
