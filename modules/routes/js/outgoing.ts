import type { HostRuntime } from "../../jsruntime/js/runtime";
import { kindOf } from "../../plugins/js/policy/arguments";
import type { HeldBytes, Holder } from "./held_bytes";
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
const now = performance.now.bind(performance);
const encoder = new TextEncoder();

const kNothing = new Uint8Array(0);
const kBodyless = [204, 205, 304];
/** One piece on its way to the client; a larger one is cut up. */
const kPiece = 128 * 1024;
/** A stream holds the piece that is being sent, at first the one after it, and has another one ready. */
const kPiecesHeld = 3;
/** Tells the host that the answer is not whole, or not wanted any more. */
export const kCut = "cut";

/** Bodies of responses that the service made itself: they go out without a stream. */
const known = new WeakMap<object, Uint8Array>();

export function responseOf(body: unknown, status: number, headers: Headers): Response {
  const bytes = wholeOf(body);
  const init = { status, headers };
  if (bytes === undefined) {
    return new Response(body as BodyInit, init);
  }
  const response = new Response(bytes.length === 0 ? null : (bytes as BodyInit), init);
  known.set(response, bytes);
  return response;
}

function wholeOf(body: unknown): Uint8Array | undefined {
  if (body === null || body === undefined) {
    return kNothing;
  }
  if (typeof body === "string") {
    return encoder.encode(body);
  }
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) {
    return bytesOf(body).slice();
  }
  return undefined;
}

type Send = (name: string, bytes?: Uint8Array) => Promise<unknown>;

/** Sends what a handler returned. Resolves with "" when it is on its way, with "cut" when it broke off. */
export async function sendResponse(
  runtime: HostRuntime,
  facts: RequestFacts,
  answer: unknown,
  signal: () => AbortSignal,
  held: HeldBytes,
): Promise<string> {
  const response = checkResponse(facts, answer);
  const head = stringify({ status: response.status, headers: headersOf(response.headers) });
  const send: Send = (name, bytes) =>
    runtime.transfer(name, name === "http.respond" || name === "http.begin" ? `${facts.id} ${head}` : facts.id, bytes);
  const whole = response.bodyUsed === true ? undefined : known.get(response);
  if (whole !== undefined || kBodyless.includes(response.status)) {
    await send("http.respond", kBodyless.includes(response.status) ? undefined : whole);
    return "";
  }
  return sendBody(runtime, facts, response, send, signal, held);
}

async function sendBody(
  runtime: HostRuntime,
  facts: RequestFacts,
  response: ResponseLike,
  send: Send,
  signal: () => AbortSignal,
  held: HeldBytes,
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
  const refuse = (text: string): Error => runtime.error("overloaded", text);
  const sending = new Sending(facts.route, pieces, send, gone, held, refuse);
  const leave = (): void => pieces.cancel();
  gone.addEventListener("abort", leave);
  try {
    return await sending.run();
  } catch (failure) {
    pieces.cancel();
    throw failure;
  } finally {
    gone.removeEventListener("abort", leave);
    held.release(sending);
  }
}

/**
 * One body on its way to a client. Each step is a function of its own, because what a function that waits has in its variables
 * stays in memory: a client that reads slowly is to hold one piece, not each that passed by.
 */
class Sending implements Holder {
  readonly route: string;
  waitsSince?: number;
  readonly #pieces: Pieces;
  readonly #send: Send;
  readonly #gone: AbortSignal;
  readonly #held: HeldBytes;
  readonly #refuse: (text: string) => Error;
  /** The piece after the first, when it was asked for already. */
  #next: Promise<Piece> | undefined;
  #isCut = false;
  /** Ends what is waited for now. */
  #endWait: (() => void) | undefined;

  constructor(route: string, pieces: Pieces, send: Send, gone: AbortSignal, held: HeldBytes, refuse: (text: string) => Error) {
    this.route = route;
    this.#pieces = pieces;
    this.#send = send;
    this.#gone = gone;
    this.#held = held;
    this.#refuse = refuse;
  }

  cut = (): void => {
    this.#isCut = true;
    this.#endWait?.();
    this.#pieces.cancel();
  };

  async run(): Promise<string> {
    const ended = await this.#begin();
    if (ended !== undefined) {
      return ended;
    }
    for (let more = true; more;) {
      const sent = await this.#sendNext();
      if (sent === kCut) {
        return kCut;
      }
      more = sent;
    }
    if (this.#gone.aborted) {
      return kCut;
    }
    await this.#send("http.finish");
    return "";
  }

  // What is there by the next turn of the loop is a body of one piece and goes out with its length. Any other may take its
  // time, and its head does not wait for it: an event stream may stay silent for hours.
  async #begin(): Promise<string | undefined> {
    const early = this.#pieces.next();
    const first = await Promise.race([early, nextTurn()]);
    if (first === undefined) {
      this.#next = early;
      await this.#send("http.begin");
      return undefined;
    }
    const bytes = first.done === true ? kNothing : bytesOf(first.value);
    this.#next = first.done === true ? Promise.resolve(first) : this.#pieces.next();
    if (isDone(first) || isDone(await Promise.race([this.#next, nextTurn()]))) {
      if (this.#gone.aborted) {
        return kCut;
      }
      await this.#send("http.respond", bytes);
      return "";
    }
    if (!this.#held.admit(this, bytes.length * kPiecesHeld)) {
      throw this.#refuse(
        `streamed responses hold ${this.#held.total} bytes of the plugin's memory, the limit is ${this.#held.limit} bytes; try again`,
      );
    }
    await this.#send("http.begin");
    return (await this.#sendPiece(bytes)) === kCut ? kCut : undefined;
  }

  /** False at the end. */
  async #sendNext(): Promise<boolean | typeof kCut> {
    const next = this.#next ?? this.#pieces.next();
    this.#next = undefined;
    const piece = await this.#unlessCut(next);
    if (piece === kCut) {
      return kCut;
    }
    if (piece.done === true) {
      return false;
    }
    return (await this.#sendPiece(bytesOf(piece.value))) === kCut ? kCut : true;
  }

  async #sendPiece(bytes: Uint8Array): Promise<unknown> {
    this.#held.hold(this, bytes.length * kPiecesHeld);
    let outcome: unknown;
    for (let at = 0; at < bytes.length && outcome !== kCut; at += kPiece) {
      this.waitsSince = now();
      outcome = await this.#unlessCut(this.#send("http.write", bytes.subarray(at, at + kPiece)));
    }
    this.waitsSince = undefined;
    if (outcome !== kCut) {
      this.#held.hold(this, 0);
    }
    return outcome;
  }

  // Not Promise.race with one promise for the whole body: that would keep something of every wait until the body ends.
  #unlessCut<T>(promise: Promise<T>): Promise<T | typeof kCut> {
    return new Promise((resolve, reject) => {
      if (this.#isCut) {
        resolve(kCut);
      }
      this.#endWait = () => resolve(kCut);
      promise.then(resolve, reject);
    });
  }
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
    throw new TypeError(`the handler of ${facts.route} must return a Response, for example c.json(value), but returned ${kindOf(answer)}`);
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
    if (cookies === undefined || name.toLowerCase() !== "set-cookie") {
      list.push([name, String(value)]);
    }
  });
  for (const cookie of cookies ?? []) {
    list.push(["set-cookie", String(cookie)]);
  }
  return list;
}

/** Undefined when there is no body. */
async function piecesOf(response: ResponseLike): Promise<Pieces | undefined> {
  const { body } = response;
  if (response.bodyUsed === true) {
    throw new TypeError("the body of the response has been read already");
  }
  if (body === null) {
    return undefined;
  }
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
  if (typeof response.arrayBuffer !== "function") {
    return undefined;
  }
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
  if (piece instanceof Uint8Array) {
    return piece;
  }
  if (typeof piece === "string") {
    return encoder.encode(piece);
  }
  if (ArrayBuffer.isView(piece)) {
    return new Uint8Array(piece.buffer, piece.byteOffset, piece.byteLength);
  }
  if (Object.prototype.toString.call(piece) === "[object ArrayBuffer]") {
    return new Uint8Array(piece as ArrayBuffer);
  }
  throw new TypeError(`a body consists of bytes or text, but a piece of it is ${kindOf(piece)}`);
}

/** Failures of the host's calls, and of what listens to the signal, when the client is the reason. */
export function isOfClient(failure: unknown): boolean {
  if (typeof failure !== "object" || failure === null) {
    return false;
  }
  const { code, name } = failure as { code?: unknown; name?: unknown };
  return name === "AbortError" || code === "aborted" || code === "too_large" || code === "invalid_input";
}
