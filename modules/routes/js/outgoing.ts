import type { HostRuntime } from "../../jsruntime/js/runtime";
import { kindOf } from "../../plugins/js/policy/arguments";
import type { RequestFacts } from "./incoming";

/** What is needed of a Response, whoever made it: the global one, that of another realm, or that of a library. */
interface ResponseLike {
  readonly status: number;
  readonly headers: HeadersLike;
  readonly body?: unknown;
  readonly bodyUsed?: boolean;
  arrayBuffer?(): Promise<ArrayBuffer>;
}

interface HeadersLike {
  forEach(each: (value: string, name: string) => void): void;
  getSetCookie?(): string[];
  raw?(): Record<string, string[]>;
}

interface Piece {
  done?: boolean;
  value?: unknown;
}

/** Pieces of a body; a reader of a stream or an iterator of anything. */
interface Pieces {
  next(): Promise<Piece>;
  cancel(): void;
}

const { stringify } = JSON;
const { setImmediate } = globalThis;
const encoder = new TextEncoder();

const kNothing = new Uint8Array(0);
const kBodyless = [204, 205, 304];
/** One piece on its way to the client; a larger one is cut up. */
const kPiece = 256 * 1024;
/** Tells the host that the answer is not whole, or not wanted any more. */
export const kCut = "cut";

/** Bodies of responses that the service made itself: they go out without a stream. */
const known = new WeakMap<object, Uint8Array>();

export function responseOf(body: unknown, status: number, headers: Headers): Response {
  const bytes = wholeOf(body);
  const init = { status, headers };
  if (bytes === undefined) return new Response(body as BodyInit, init);
  const response = new Response(bytes.length === 0 ? null : (bytes as BodyInit), init);
  known.set(response, bytes);
  return response;
}

function wholeOf(body: unknown): Uint8Array | undefined {
  if (body === null || body === undefined) return kNothing;
  if (typeof body === "string") return encoder.encode(body);
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) return bytesOf(body).slice();
  return undefined;
}

/** Sends what a handler returned. Resolves with "" when it is on its way, with "cut" when it broke off. */
export async function sendResponse(
  runtime: HostRuntime,
  facts: RequestFacts,
  answer: unknown,
  signal: () => AbortSignal,
): Promise<string> {
  const response = checkResponse(facts, answer);
  const head = stringify({ status: response.status, headers: headersOf(response.headers) });
  const send = (name: string, bytes?: Uint8Array): Promise<unknown> =>
    runtime.transfer(name, name === "http.respond" || name === "http.begin" ? `${facts.id} ${head}` : facts.id, bytes);
  const whole = response.bodyUsed === true ? undefined : known.get(response);
  if (whole !== undefined || kBodyless.includes(response.status)) {
    await send("http.respond", kBodyless.includes(response.status) ? undefined : whole);
    return "";
  }
  return sendBody(facts, response, send, signal);
}

async function sendBody(
  facts: RequestFacts,
  response: ResponseLike,
  send: (name: string, bytes?: Uint8Array) => Promise<unknown>,
  signal: () => AbortSignal,
): Promise<string> {
  const pieces = await piecesOf(response);
  if (pieces === undefined) {
    await send("http.respond");
    return "";
  }
  if (facts.method === "HEAD") {
    pieces.cancel();
    await send("http.begin");
    await send("http.finish");
    return "";
  }
  const gone = signal();
  const leave = (): void => pieces.cancel();
  gone.addEventListener("abort", leave);
  try {
    return await pump(pieces, send, gone);
  } catch (failure) {
    pieces.cancel();
    throw failure;
  } finally {
    gone.removeEventListener("abort", leave);
  }
}

async function pump(
  pieces: Pieces,
  send: (name: string, bytes?: Uint8Array) => Promise<unknown>,
  gone: AbortSignal,
): Promise<string> {
  // What is there by the next turn of the loop is a body of one piece and goes out with its length. Any other may take its
  // time, and its head does not wait for it: an event stream may stay silent for hours.
  const early = pieces.next();
  const first = await Promise.race([early, nextTurn()]);
  let rest: Piece | Promise<Piece> = early;
  if (first === undefined) {
    await send("http.begin");
  } else {
    const bytes = first.done === true ? kNothing : bytesOf(first.value);
    rest = first.done === true ? first : pieces.next();
    if (isDone(first) || isDone(await Promise.race([rest, nextTurn()]))) {
      if (gone.aborted) return kCut;
      await send("http.respond", bytes);
      return "";
    }
    await send("http.begin");
    await sendPiece(bytes, send);
  }
  for (let piece = await rest; piece.done !== true; piece = await pieces.next()) {
    await sendPiece(bytesOf(piece.value), send);
  }
  if (gone.aborted) return kCut;
  await send("http.finish");
  return "";
}

async function sendPiece(bytes: Uint8Array, send: (name: string, bytes?: Uint8Array) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < bytes.length; at += kPiece) await send("http.write", bytes.subarray(at, at + kPiece));
}

function nextTurn(): Promise<undefined> {
  return new Promise((resolve) => setImmediate(resolve, undefined));
}

function isDone(piece: Piece | undefined): boolean {
  return piece?.done === true;
}

function checkResponse(facts: RequestFacts, answer: unknown): ResponseLike {
  const response = answer as ResponseLike | null;
  const like =
    typeof response === "object" &&
    response !== null &&
    typeof response.status === "number" &&
    typeof response.headers?.forEach === "function";
  if (!like) {
    throw new TypeError(
      `the handler of ${facts.route} must return a Response, for example c.json(value), but returned ${kindOf(answer)}`,
    );
  }
  if (!Number.isInteger(response.status) || response.status < 200 || response.status > 599) {
    throw new TypeError(`the handler of ${facts.route} returned the status ${response.status}; it must be 200 to 599`);
  }
  return response;
}

function headersOf(headers: HeadersLike): [string, string][] {
  const list: [string, string][] = [];
  const cookies = headers.getSetCookie?.() ?? headers.raw?.()["set-cookie"];
  headers.forEach((value, name) => {
    if (cookies === undefined || name.toLowerCase() !== "set-cookie") list.push([name, String(value)]);
  });
  for (const cookie of cookies ?? []) list.push(["set-cookie", String(cookie)]);
  return list;
}

/** Undefined when there is no body. */
async function piecesOf(response: ResponseLike): Promise<Pieces | undefined> {
  const { body } = response;
  if (response.bodyUsed === true) throw new TypeError("the body of the response has been read already");
  if (body === null) return undefined;
  if (isStream(body)) {
    const reader = body.getReader();
    return {
      next: () => reader.read(),
      cancel: () => void reader.cancel().catch(() => undefined),
    };
  }
  if (isIterable(body)) {
    const iterator = body[Symbol.asyncIterator]();
    return {
      next: () => Promise.resolve(iterator.next()),
      cancel: () => void Promise.resolve(iterator.return?.()).catch(() => undefined),
    };
  }
  if (typeof response.arrayBuffer !== "function") return undefined;
  const whole = await response.arrayBuffer();
  let given = whole.byteLength === 0;
  return {
    next: async () => (given ? { done: true } : ((given = true), { value: whole })),
    cancel: () => undefined,
  };
}

function isStream(body: unknown): body is ReadableStream<unknown> {
  return typeof (body as { getReader?: unknown } | undefined)?.getReader === "function";
}

function isIterable(body: unknown): body is AsyncIterable<unknown> {
  return typeof (body as { [Symbol.asyncIterator]?: unknown } | undefined)?.[Symbol.asyncIterator] === "function";
}

export function bytesOf(piece: unknown): Uint8Array {
  if (piece instanceof Uint8Array) return piece;
  if (typeof piece === "string") return encoder.encode(piece);
  if (ArrayBuffer.isView(piece)) return new Uint8Array(piece.buffer, piece.byteOffset, piece.byteLength);
  if (Object.prototype.toString.call(piece) === "[object ArrayBuffer]") return new Uint8Array(piece as ArrayBuffer);
  throw new TypeError(`a body consists of bytes or text, but a piece of it is ${kindOf(piece)}`);
}

/** Failures of the host's calls, and of what listens to the signal, when the client is the reason. */
export function isOfClient(failure: unknown): boolean {
  if (typeof failure !== "object" || failure === null) return false;
  const { code, name } = failure as { code?: unknown; name?: unknown };
  return name === "AbortError" || code === "aborted" || code === "too_large" || code === "invalid_input";
}
