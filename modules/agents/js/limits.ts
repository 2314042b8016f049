/** Numbers of `svc/common/limits/agents.h`, by their names there: characters, counts, UTF-8 bytes, milliseconds. */
export const kInstructions = 4096;
export const kToolLabel = 80;
export const kConfigIds = 256;
export const kParamOverride = 128 * 1024;
export const kToolResult = 8 * 1024 * 1024;
export const kInputTitle = 160;
export const kInputPayload = 64 * 1024;
export const kDescribe = 2000;
export const kInputTimeoutMax = 60 * 60 * 1000;
