import type { ContractHost, Failure, Socket } from "../host.ts";

/** What a client does with the plugin, and what must come of it on both hosts. */
export interface Case {
  name: string;
  run(host: ContractHost): Promise<unknown>;
  gives: unknown;
}

export const kJson = "application/json; charset=utf-8";
export const kText = "text/plain; charset=utf-8";
export const unknownRoute = (message: string, allow?: string) => ({
  status: 404,
  headers: { "content-type": kJson, ...(allow !== undefined && { allow }) },
  body: { ok: false, error: { code: "unknown_route", message, details: { pluginId: "contract" } } },
});
export const handlerError = (message: string, details = {}) => ({
  status: 500,
  headers: { "content-type": kJson },
  body: { ok: false, error: { code: "handler_error", message, details: { ...details, pluginId: "contract" } } },
});

export async function withSocket<T>(host: ContractHost, use: (socket: Socket) => Promise<T>): Promise<T | Failure> {
  const socket = await host.socket("/echo?name=me", { "x-in": "in" });
  if ("code" in socket) {
    return socket;
  }
  return use(socket);
}

/** Asks until the answer is there. */
export async function until(ask: () => Promise<unknown>): Promise<unknown> {
  for (let tries = 0; tries < 1000; tries++) {
    const answer = await ask();
    if (answer !== null) {
      return answer;
    }
  }
  return null;
}
