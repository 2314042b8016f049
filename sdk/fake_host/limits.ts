/** Numbers of the contract that the server's parts are told by the host, by their names there. Milliseconds, bytes. */
export const kKvKey = 512;
export const kKvValue = 262_144;
export const kSettingValue = 262_144;
export const kPluginWsMessage = 16 * 1024 * 1024;
export const kInputPayload = 64 * 1024;
export const kInputTimeout = 10 * 60 * 1000;
export const kBusyTimeout = 5_000;
export const kServiceStop = 5_000;
export const kDisposeHook = 5_000;
export const kDrain = 30_000;
