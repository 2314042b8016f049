import type { CodeLine, CodeTheme } from "./highlight";

export interface HighlightJob {
  readonly job: number;
  /** Which text it is: what was coloured of it before is not coloured again. */
  readonly text: number;
  /** Nothing is left of what was answered before. */
  readonly isNew: boolean;
  readonly content: string;
  readonly language: string;
  readonly theme: CodeTheme;
}

export type HighlightAnswer =
  | { readonly job: number; readonly kind: "begun" | "unknown" }
  | { readonly job: number; readonly kind: "failed"; readonly message: string }
  /** `lines` follow the first `same` of what was answered for this text before. */
  | { readonly job: number; readonly kind: "done"; readonly same: number; readonly lines: readonly CodeLine[] };

/** What of a `Worker` is used. */
export interface HighlightWorker {
  postMessage(job: HighlightJob): void;
  addEventListener(type: "message", listener: (event: { readonly data: HighlightAnswer }) => void): void;
  addEventListener(type: "error", listener: (event: { readonly message: string }) => void): void;
  terminate(): void;
}

/** How long one text may be coloured: 100 KB of C++ takes a slow machine that does much else fifteen seconds, and some texts take the regular expressions of grammars minutes. */
export const kMaxColouringMs = 20_000;

/** What has taken so long is ended once nobody wants it: another worker is ready sooner. */
const kSlowMs = 1_000;

type Order = Omit<HighlightJob, "job" | "isNew">;

interface Wanted {
  readonly order: Order;
  readonly done: (lines: readonly CodeLine[] | null) => void;
  /** Its text is shown no more. */
  isForgotten?: boolean;
}

/**
 * Colours code in a worker, a text at a time, in the order in which they were asked for. One that takes too long is given up, with the
 * worker, and stays without colours.
 */
export class Highlighter {
  readonly #create: () => HighlightWorker;
  #worker: HighlightWorker | undefined;
  #jobs = 0;
  /** By their text. */
  readonly #waiting = new Map<number, Wanted>();
  #running: Wanted | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** When the worker began with what is running; undefined while it loads what it needs. */
  #begunAt: number | undefined;
  /** The last answer for each text, as the worker knows it. */
  readonly #answered = new Map<number, readonly CodeLine[]>();
  /** What took too long: more of it would, too. */
  readonly #givenUp = new Map<number, Order>();

  constructor(create: () => HighlightWorker) {
    this.#create = create;
  }

  /** Null where there are no colours: of a language that is not known, of what took too long, and of a text that has grown before its turn. */
  colour(text: number, content: string, language: string, theme: CodeTheme): Promise<readonly CodeLine[] | null> {
    const given = this.#givenUp.get(text);
    if (given?.language === language && content.startsWith(given.content)) {
      return Promise.resolve(null);
    }
    return new Promise((done) => {
      this.#waiting.get(text)?.done(null);
      this.#waiting.set(text, { order: { text, content, language, theme }, done });
      this.#next();
    });
  }

  /** The text is shown no more. */
  forget(text: number): void {
    this.#waiting.get(text)?.done(null);
    this.#waiting.delete(text);
    this.#givenUp.delete(text);
    this.#answered.delete(text);
    if (this.#running?.order.text !== text) {
      return;
    }
    this.#running.isForgotten = true;
    if (this.#begunAt !== undefined) {
      this.#endAfter(kSlowMs - (performance.now() - this.#begunAt));
    }
  }

  #endAfter(delayMs: number): void {
    if (delayMs <= 0) {
      this.#end();
      return;
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#running !== undefined && this.#running.isForgotten !== true) {
        this.#givenUp.set(this.#running.order.text, this.#running.order);
      }
      this.#end();
    }, delayMs);
  }

  #next(): void {
    const [first] = this.#waiting.values();
    if (this.#running !== undefined || first === undefined) {
      return;
    }
    const { order } = first;
    this.#waiting.delete(order.text);
    this.#running = first;
    this.#jobs += 1;
    try {
      this.#worker ??= this.#started();
      this.#worker.postMessage({ ...order, job: this.#jobs, isNew: !this.#answered.has(order.text) });
    } catch (failure) {
      this.#fail(failure);
    }
  }

  #fail(failure: unknown): void {
    console.error("code is shown without colours", failure);
    this.#end();
  }

  #started(): HighlightWorker {
    const worker = this.#create();
    worker.addEventListener("message", ({ data }) => {
      if (worker === this.#worker && data.job === this.#jobs && this.#running !== undefined) {
        this.#heard(this.#running, data);
      }
    });
    worker.addEventListener("error", ({ message }) => {
      if (worker === this.#worker) {
        this.#fail(message);
      }
    });
    return worker;
  }

  #heard({ order, isForgotten = false }: Wanted, answer: HighlightAnswer): void {
    if (answer.kind === "begun") {
      this.#begunAt = performance.now();
      this.#endAfter(isForgotten ? kSlowMs : kMaxColouringMs);
      return;
    }
    if (answer.kind === "failed") {
      console.error("code is shown without colours", answer.message);
    }
    if (answer.kind !== "done") {
      this.#settle(null);
      return;
    }
    const lines = [...(this.#answered.get(order.text) ?? []).slice(0, answer.same), ...answer.lines];
    if (!isForgotten) {
      this.#answered.set(order.text, lines);
    }
    this.#settle(lines);
  }

  /** The worker is gone, and what it knew. */
  #end(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#answered.clear();
    this.#settle(null);
  }

  #settle(lines: readonly CodeLine[] | null): void {
    clearTimeout(this.#timer);
    this.#begunAt = undefined;
    const running = this.#running;
    this.#running = undefined;
    running?.done(lines);
    this.#next();
  }
}

let shared: Highlighter | undefined;
let texts = 0;

/** A number for a text that will be coloured. */
export const nextText = (): number => (texts += 1);

/** Where there are no workers there are no colours. */
export function sharedHighlighter(): Highlighter | undefined {
  if (typeof Worker === "undefined") {
    return undefined;
  }
  shared ??= new Highlighter(() => new Worker(new URL("./highlight_worker.ts", import.meta.url), { type: "module" }));
  return shared;
}
