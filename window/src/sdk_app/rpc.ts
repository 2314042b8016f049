import { createRpcCall } from "#sdk/app_policy/rpc_client.js";
import type { PluginRpcClient } from "#sdk/app/rpc_client.js";

import { url } from "../api/http";

const clients = new Map<string, PluginRpcClient>();

/** The RPC client of a plugin, the same object each time. */
export function rpcClientOf(pluginId: string): PluginRpcClient {
  let client = clients.get(pluginId);
  if (client === undefined) {
    client = Object.freeze({
      call: createRpcCall(async ({ method, body, signal }) => {
        const path = `/api/v1/plugins/${encodeURIComponent(pluginId)}/rpc/${encodeURIComponent(method)}`;
        const response = await fetch(url(path), {
          method: "POST",
          headers: { "content-type": "application/json" },
          body,
          signal,
          cache: "no-store",
        });
        return {
          status: response.status,
          requestId: response.headers.get("x-request-id") ?? "",
          body: await response.text(),
        };
      }),
    }) as PluginRpcClient;
    clients.set(pluginId, client);
  }
  return client;
}
