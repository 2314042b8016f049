/** What the cases do with a host, whichever it is. */
export interface ContractHost {
  rpc(method: string, input?: unknown): Promise<Outcome>;
  http(method: string, path: string, init?: HttpInit): Promise<HttpAnswer>;
  socket(path: string, headers?: Record<string, string>): Promise<Socket | Failure>;
  cli(argv: string[], context?: object): Promise<Outcome>;
  settings(values: object): Promise<Outcome>;
  schedule(name: string): Promise<Outcome>;
  tool(name: string, params: unknown, threadId: string): Promise<unknown>;
  /** Names of the tools, and the contributed instructions. */
  configuration(threadId: string, projectId: string): Promise<{ tools: string[]; instructions: string }>;
  mentions(query: string, trigger: string, projectId?: string): Promise<unknown>;
  mention(providerId: string, itemId: string): Promise<Outcome>;
  emit(name: string, payload: object): Promise<void>;
  decide(text: string): Promise<unknown>;
  /** Loads the plugin again; the message when that fails. */
  reload(): Promise<string | null>;
  disable(): Promise<void>;
  enable(): Promise<void>;
  status(): Promise<{ status: string; statusDetail: string | null }>;
  /** Messages, in their order. */
  problems(): Promise<string[]>;
  unsupported(): Promise<string[]>;
  registrations(): Promise<object>;
  /** Signals so far. */
  signals(): { channel: string; payload: unknown }[];
  /** `level message` of every line the plugin wrote, and of every failure of its code. */
  log(): Promise<string[]>;
  stop(): Promise<void>;
}

export interface Failure {
  code: string;
  message: string;
  issues?: unknown;
  details?: unknown;
}
export type Outcome = { result: unknown } | Failure;

export interface HttpInit {
  headers?: Record<string, string>;
  body?: BodyInit;
}

export interface HttpAnswer {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

export interface Socket {
  /** Text, or bytes as an array. */
  next(): Promise<string | number[]>;
  send(data: string | Uint8Array): Promise<void>;
  close(code: number, reason: string): Promise<void>;
  readonly closed: Promise<{ code: number; reason: string }>;
}

const kHeaders = ["content-type", "allow", "location", "x-out", "set-cookie"];

export async function readAnswer(response: Response): Promise<HttpAnswer> {
  const bytes = Buffer.from(await response.arrayBuffer());
  const type = response.headers.get("content-type") ?? "";
  const headers = kHeaders.flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  const text = bytes.toString();
  const body = type.includes("json") ? JSON.parse(text) : type.includes("octet") ? [...bytes] : text;
  return { status: response.status, headers: Object.fromEntries(headers) as Record<string, string>, body };
}

/** Without what every failure of a plugin has. */
export function failureOf(error: Partial<Failure>): Failure {
  const { code = "handler_error", message = "", issues, details } = error;
  const { pluginId: _, status: _status, statusDetail: _detail, ...rest } = (details ?? {}) as Record<string, unknown>;
  return {
    code,
    message,
    ...(issues !== undefined && { issues }),
    ...(Object.keys(rest).length > 0 && { details: rest }),
  };
}
