// The official clients, behind one face: what a test says to one it says to all.
import { load } from "./packages.mjs";

const kInfo = { name: "svc-test", version: "1.0.0" };

/** Each way a client speaks, with the revision that comes out of it. */
export const kClients = [
  { name: "SDK v1", major: 1, revision: "2025-11-25" },
  { name: "SDK v2", major: 2, mode: "auto", revision: "2026-07-28" },
  { name: "SDK v2 with a handshake", major: 2, mode: "legacy", revision: "2025-11-25" },
];
export const kTransports = ["HTTP", "stdio"];

async function transportOf({ major }, transport, service) {
  const stdio = { command: "svc", args: ["mcp"], env: service.env, cwd: service.work, stderr: "pipe" };
  if (major === 1) {
    const sdk = "@modelcontextprotocol/sdk/client";
    return transport === "HTTP"
      ? new (await load("clients", `${sdk}/streamableHttp.js`)).StreamableHTTPClientTransport(new URL(service.endpoint))
      : new (await load("clients", `${sdk}/stdio.js`)).StdioClientTransport(stdio);
  }
  const sdk = "@modelcontextprotocol/client";
  return transport === "HTTP"
    ? new (await load("clients", sdk)).StreamableHTTPClientTransport(new URL(service.endpoint))
    : new (await load("clients", `${sdk}/stdio`)).StdioClientTransport(stdio);
}

/** `onTools` is told the names of the tools after each change of the list. */
export async function connect(kind, transport, service, { onTools } = {}) {
  const { Client } = await load("clients", kind.major === 1 ? "@modelcontextprotocol/sdk/client/index.js" : "@modelcontextprotocol/client");
  const listChanged = onTools && {
    tools: { onChanged: (_error, tools) => onTools((tools ?? []).map(({ name }) => name)) },
  };
  const client = new Client(kInfo, {
    ...(listChanged && { listChanged }),
    ...(kind.major === 2 && { versionNegotiation: { mode: kind.mode } }),
  });
  const connection = await transportOf(kind, transport, service);
  // Version 1 tells the revision to transports that want to know it, and to nobody else.
  let told;
  const setVersion = connection.setProtocolVersion?.bind(connection);
  connection.setProtocolVersion = (version) => {
    told = version;
    setVersion?.(version);
  };
  await client.connect(connection);
  return {
    client,
    revision: () => client.getNegotiatedProtocolVersion?.() ?? told,
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (name, args = {}, options = {}) =>
      kind.major === 1
        ? client.callTool({ name, arguments: args }, undefined, options)
        : client.callTool({ name, arguments: args }, options),
    close: () => client.close(),
  };
}

export const textOf = (result) => result.content.map((part) => part.text ?? `(${part.type})`).join("|");
