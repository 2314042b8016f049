import { fieldsOf, type Schema, type ToolField } from "./tool_form";

/** A method of a plugin; a validator that cannot describe itself leaves it without a schema. */
export interface RpcMethod {
  pluginId: string;
  method: string;
  published: boolean;
  inputSchema?: Schema;
  outputSchema?: Schema;
}

/** Methods without an input have the schema of null. */
export function takesNothing({ inputSchema }: RpcMethod): boolean {
  return inputSchema?.type === "null";
}

/** What its input is made of; null when it has to be written as JSON. */
export function inputFields(method: RpcMethod): ToolField[] | null {
  return takesNothing(method) ? [] : method.inputSchema === undefined ? null : fieldsOf(method.inputSchema);
}

/** What the author says of it, in the schema of its input. */
export function descriptionOf({ inputSchema }: RpcMethod): string {
  const text = inputSchema?.description ?? inputSchema?.title;
  return typeof text === "string" ? text : "";
}

export const rpcPath = (pluginId: string, method: string) => `/plugins/${encodeURIComponent(pluginId)}/rpc/${encodeURIComponent(method)}`;

/** One word of a shell. */
export function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** The call as a line for a shell; `address` is that of its route. */
export function asCurl(address: string, input: unknown): string {
  const body = input === null ? [] : ["-H", "content-type: application/json", "-d", JSON.stringify(input)];
  return ["curl", "-sS", "-X", "POST", address, ...body].map(shellWord).join(" ");
}

export function asSvc({ pluginId, method }: RpcMethod, input: unknown): string {
  const words = ["svc", "plugin", "rpc", "call", pluginId, method];
  return [...words, ...(input === null ? [] : [JSON.stringify(input)])].map(shellWord).join(" ");
}
