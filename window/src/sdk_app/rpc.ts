import { createRpcCall, type RpcReply, type RpcRequest } from "#sdk/app_policy/rpc_client.js";
import type { PluginRpcClient } from "#sdk/app/rpc_client.js";

import { url } from "@/lib/address";
import { realtime } from "@/api/realtime";

const clients = new Map<string, PluginRpcClient>();

/** The RPC client of a plugin, the same object each time. */
export function rpcClientOf(pluginId: string): PluginRpcClient {
  let client = clients.get(pluginId);
  if (client === undefined) {
    client = Object.freeze({ call: createRpcCall((request) => sendOnceStarted(pluginId, request)) }) as PluginRpcClient;
    clients.set(pluginId, client);
  }
  return client;
}

async function send(pluginId: string, { method, body, signal }: RpcRequest): Promise<RpcReply> {
  const path = `/api/v1/plugins/${encodeURIComponent(pluginId)}/rpc/${encodeURIComponent(method)}`;
  const response = await fetch(url(path), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
    signal,
    cache: "no-store",
  });
  return { status: response.status, requestId: response.headers.get("x-request-id") ?? "", body: await response.text() };
}

/**
 * After a start of the service the socket is back before its plugins are. A call that is refused for that never reached the plugin,
 * so it waits for the plugin and is sent again; the time limit of the call bounds all of it.
 */
async function sendOnceStarted(pluginId: string, request: RpcRequest): Promise<RpcReply> {
  for (;;) {
    // From before the call: the plugin may start while its refusal is on the way.
    const start = nextStart(pluginId);
    try {
      const reply = await send(pluginId, request);
      if (!isStarting(reply)) {
        return reply;
      }
      await until(start.happened, request.signal);
    } finally {
      start.stop();
    }
  }
}

function isStarting({ status, body }: RpcReply): boolean {
  if (status !== 503) {
    return false;
  }
  try {
    const { error } = JSON.parse(body) as { error?: { code?: unknown; details?: { status?: unknown } } };
    return error?.code === "plugin_not_running" && error.details?.status === "starting";
  } catch {
    return false;
  }
}

/** The plugin is announced with another status than `starting`, or whether it was is unknown as the connection was lost. */
function nextStart(pluginId: string): { happened: Promise<void>; stop(): void } {
  const removers: (() => void)[] = [];
  const happened = new Promise<void>((resolve) => {
    removers.push(
      realtime.onPluginsChanged((plugins) => {
        if (plugins.find(({ id }) => id === pluginId)?.status !== "starting") {
          resolve();
        }
      }),
      realtime.onConnected(() => resolve()),
    );
  });
  return { happened, stop: () => removers.forEach((remove) => remove()) };
}

function until(event: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    if (signal.aborted) {
      onAbort();
      return;
    }
    signal.addEventListener("abort", onAbort, { once: true });
    void event.then(() => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    });
  });
}
