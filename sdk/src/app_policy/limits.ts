/** Milliseconds. `L:rpc-client`, `L:script-mount`, `L:refetch-join`; how long a query's result counts as fresh. */
export const kRpcTimeoutMs = 75_000;
export const kScriptMountMs = 10_000;
export const kRefetchJoinMs = 50;
export const kQueryStaleMs = 30_000;
