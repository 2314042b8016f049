/** Functions of the author that SQL can call. */
import type { Connection } from "./connection";
import type { Address, Machine } from "./machine";
import { argumentValue, returnValue } from "./values";

const kUtf8 = 1;
const kDeterministic = 0x800;
const kDirectOnly = 0x80000;

/** What a function and an aggregate have in common. */
export interface Registered {
  connection: Connection;
  name: string;
  argumentCount: number;
  deterministic: boolean;
  directOnly: boolean;
  bigInts: boolean;
  /** Of an aggregate: its step. */
  call: Function;
  start?: unknown;
  inverse?: Function | undefined;
  result?: Function | undefined;
}

/** The state of one aggregation. */
interface Accumulator {
  value: unknown;
  /** Its values have been asked for one by one. */
  isWindow: boolean;
}

/** What JavaScript under a call of SQLite has thrown is kept by the connection. */
class Failed extends Error {}

/** The functions of all connections of a machine: SQLite knows them by number. */
export class Functions {
  readonly #registered = new Map<number, Registered>();
  readonly #accumulators = new Map<number, Accumulator>();
  #lastId = 0;
  readonly #pointers: Record<"scalar" | "step" | "inverse" | "value" | "end" | "destroy", number>;

  constructor(private readonly machine: Machine) {
    const pointer = (parameters: string, fn: (registered: Registered, context: Address, values: Address[]) => void): number =>
      machine.pointer(parameters, "", (context = 0, count = 0, at = 0) => {
        const registered = this.#registered.get(machine.calls.sqlite3_user_data(context))!;
        try {
          fn(
            registered,
            context,
            Array.from({ length: count }, (_, index) => machine.int(at + 4 * index)),
          );
        } catch (error) {
          if (!(error instanceof Failed)) {
            registered.connection.hold(error);
          }
          machine.usingText("a function of the plugin failed", (message) => machine.calls.sqlite3_result_error(context, message, -1));
        }
      });
    this.#pointers = {
      scalar: pointer("iii", (registered, context, values) => {
        this.#goOn(registered);
        this.#answer(registered, context, registered.call.apply(undefined, this.#values(registered, values)));
      }),
      step: pointer("iii", (registered, context, values) => this.#accumulate(registered, context, registered.call, values)),
      inverse: pointer("iii", (registered, context, values) => this.#accumulate(registered, context, registered.inverse!, values)),
      value: pointer("i", (registered, context) => {
        const accumulator = this.#accumulator(registered, context);
        accumulator.isWindow = true;
        this.#answerAggregate(registered, context, accumulator);
      }),
      end: pointer("i", (registered, context) => this.#end(registered, context)),
      destroy: machine.pointer("i", "", (id = 0) => void this.#registered.delete(id)),
    };
  }

  define(registered: Registered): void {
    const { connection, name, argumentCount, deterministic, directOnly } = registered;
    const { scalar, step, inverse, value, end, destroy } = this.#pointers;
    const { calls } = this.machine;
    const id = ++this.#lastId;
    this.#registered.set(id, registered);
    const flags = kUtf8 | (deterministic ? kDeterministic : 0) | (directOnly ? kDirectOnly : 0);
    const isWindow = registered.inverse !== undefined;
    const status = this.machine.usingText(name, (at) =>
      "start" in registered
        ? calls.sqlite3_create_window_function(
            ...([connection.handle, at, argumentCount, flags, id, step, end] as const),
            ...([isWindow ? value : 0, isWindow ? inverse : 0, destroy] as const),
          )
        : calls.sqlite3_create_function_v2(connection.handle, at, argumentCount, flags, id, scalar, 0, 0, destroy),
    );
    if (status !== 0) {
      connection.throwFailure();
    }
  }

  /** Once something was thrown nothing of the author is called any more. */
  #goOn({ connection }: Registered): void {
    if (connection.holds) {
      throw new Failed();
    }
  }

  #values({ bigInts }: Registered, values: readonly Address[]): unknown[] {
    return values.map((value) => argumentValue(this.machine, value, bigInts));
  }

  #answer({ name }: Registered, context: Address, value: unknown): void {
    const fit = returnValue(this.machine, value, context);
    const subject = `User-defined function ${name}() returned`;
    if (fit === "not a value") {
      throw new TypeError(`${subject} an invalid value`);
    }
    if (fit === "too big") {
      throw new RangeError(`${subject} ${typeof value === "bigint" ? "a bigint that was too big" : "a value that was too big"}`);
    }
  }

  /** The accumulator with its value so far. */
  #accumulator(registered: Registered, context: Address): Accumulator {
    this.#goOn(registered);
    const { machine } = this;
    const cell = machine.calls.sqlite3_aggregate_context(context, 4);
    if (machine.int(cell) === 0) {
      const id = ++this.#lastId;
      machine.setInt(cell, id);
      const { start } = registered;
      this.#accumulators.set(id, { value: typeof start === "function" ? (start as () => unknown)() : start, isWindow: false });
    }
    const accumulator = this.#accumulators.get(machine.int(cell));
    if (accumulator === undefined) {
      throw new Failed();
    }
    return accumulator;
  }

  #accumulate(registered: Registered, context: Address, fn: Function, values: readonly Address[]): void {
    const accumulator = this.#accumulator(registered, context);
    const value: unknown = fn.apply(undefined, [accumulator.value, ...this.#values(registered, values)]);
    // A step that answers nothing keeps the value: it may be an object that the step has changed.
    if (value !== undefined) {
      accumulator.value = value;
    }
  }

  #answerAggregate(registered: Registered, context: Address, { value }: Accumulator): void {
    this.#answer(registered, context, registered.result === undefined ? value : registered.result.apply(undefined, [value]));
  }

  #end(registered: Registered, context: Address): void {
    try {
      // SQLite also ends aggregations that nobody wants the result of, when a statement is reset: no JavaScript then. Nobody
      // looks at what the end of a window answers.
      if (registered.connection.isExecuting) {
        const accumulator = this.#accumulator(registered, context);
        if (!accumulator.isWindow) {
          this.#answerAggregate(registered, context, accumulator);
        }
      }
    } finally {
      const cell = this.machine.calls.sqlite3_aggregate_context(context, 0);
      if (cell !== 0) {
        this.#accumulators.delete(this.machine.int(cell));
      }
    }
  }
}
