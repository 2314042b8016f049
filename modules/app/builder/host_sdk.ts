// What of the SDK exists in a host worker. Bundled by itself, it is put into host bundles as text.
export { PLUGIN_CLI_OUTPUT_MAX_BYTES } from "../../../sdk/src/cli";
export { experimental_defineHostEntry } from "../../../sdk/src/host/definition";
export { defineRpcContract } from "../../../sdk/src/rpc";
