/**
 * SQLite as WebAssembly: the file of the package @sqlite.org/sqlite-wasm, which the SDK brings along, with the few functions of a C
 * library that it asks for. Its own JavaScript starts asynchronously, knows files only of a browser, and is half a megabyte.
 */
import program from "@sqlite.org/sqlite-wasm/sqlite3.wasm";

import type { SqliteCalls } from "./calls";

/** An address in the memory of the machine; 0 is none. */
export type Address = number;
type Callback = (...values: number[]) => number | void;

const kPage = 65_536;
/** What the file declares. */
const kFirstPages = 256;
const kMostPages = 32_768;
/** "Function not implemented": files are reached by files.ts alone. */
const kNoSuchCall = -52;

const kTypeCodes: Readonly<Record<string, number>> = { i: 0x7f, j: 0x7e, d: 0x7c };
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export class Machine {
  readonly calls: SqliteCalls;
  readonly #memory = new WebAssembly.Memory({ initial: kFirstPages, maximum: kMostPages });
  readonly #table: WebAssembly.Table;
  #bytes = new Uint8Array(this.#memory.buffer);
  #view = new DataView(this.#memory.buffer);

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    const module = new WebAssembly.Module(bytes);
    const { exports } = new WebAssembly.Instance(module, this.#imports(module));
    this.calls = exports as unknown as SqliteCalls;
    this.#table = exports.__indirect_function_table as WebAssembly.Table;
    this.calls.__wasm_call_ctors();
    this.calls.sqlite3_initialize();
  }

  /** Of the whole memory. It grows: not to be held across calls. */
  get bytes(): Uint8Array {
    this.#refresh();
    return this.#bytes;
  }
  get view(): DataView {
    this.#refresh();
    return this.#view;
  }

  int(at: Address): number {
    return this.view.getInt32(at, true);
  }
  setInt(at: Address, value: number): void {
    this.view.setInt32(at, value, true);
  }
  setLong(at: Address, value: number): void {
    this.view.setBigInt64(at, BigInt(value), true);
  }

  allocate(size: number): Address {
    const address = this.calls.sqlite3_malloc(size);
    if (address === 0) {
      throw new Error("Out of memory");
    }
    return address;
  }

  /** Memory for one call, with zeros. */
  using<T>(size: number, use: (address: Address) => T): T {
    const address = this.allocate(size);
    this.bytes.fill(0, address, address + size);
    try {
      return use(address);
    } finally {
      this.calls.sqlite3_free(address);
    }
  }

  /** Bytes for one call, with a zero behind them. */
  usingBytes<T>(bytes: Uint8Array, use: (address: Address, size: number) => T): T {
    return this.using(bytes.length + 1, (address) => {
      this.bytes.set(bytes, address);
      return use(address, bytes.length);
    });
  }
  usingText<T>(text: string, use: (address: Address, size: number) => T): T {
    return this.usingBytes(encoder.encode(text), use);
  }

  /** Text of a length, or up to a zero. */
  text(at: Address, size = this.bytes.indexOf(0, at) - at): string {
    return decoder.decode(this.bytes.subarray(at, at + size));
  }
  textOrNull(at: Address): string | null {
    return at === 0 ? null : this.text(at);
  }

  /** A pointer to a function, for good. `parameters` names their types: i 32, j 64 bits (given as numbers here, too). */
  pointer(parameters: string, returns: "i" | "", fn: Callback): number {
    const index = this.#table.grow(1);
    this.#table.set(index, asWasm(parameters, returns, fn));
    return index;
  }

  #refresh(): void {
    if (this.#bytes.buffer !== this.#memory.buffer) {
      this.#bytes = new Uint8Array(this.#memory.buffer);
      this.#view = new DataView(this.#memory.buffer);
    }
  }

  #imports(module: WebAssembly.Module): WebAssembly.Imports {
    const known: Record<string, unknown> = {
      memory: this.#memory,
      emscripten_date_now: () => Date.now(),
      emscripten_get_now: () => performance.now(),
      clock_time_get: (clock: number, _precision: bigint, time: Address) => {
        const now = clock === 0 ? Date.now() : performance.now();
        this.view.setBigInt64(time, BigInt(Math.round(now * 1e6)), true);
        return 0;
      },
      emscripten_get_heap_max: () => kPage * kMostPages,
      emscripten_resize_heap: (size: number) => this.#grow(size),
      _tzset_js: () => undefined,
      _localtime_js: (time: bigint, into: Address) => this.#localTime(new Date(Number(time) * 1000), into),
    };
    const imports: Record<string, Record<string, never>> = {};
    for (const { module: space, name } of WebAssembly.Module.imports(module)) {
      (imports[space] ??= {})[name] = (known[name] ?? (() => kNoSuchCall)) as never;
    }
    return imports;
  }

  #grow(size: number): number {
    try {
      this.#memory.grow(Math.ceil((size - this.#memory.buffer.byteLength) / kPage));
      return 1;
    } catch {
      return 0;
    }
  }

  /** As `struct tm`. */
  #localTime(date: Date, into: Address): void {
    const startOfYear = new Date(date.getFullYear(), 0, 1);
    const dayOfYear = Math.round((new Date(date).setHours(0, 0, 0, 0) - startOfYear.getTime()) / 86_400_000);
    const fields = [
      ...[date.getSeconds(), date.getMinutes(), date.getHours(), date.getDate(), date.getMonth(), date.getFullYear() - 1900],
      ...[date.getDay(), dayOfYear, 0, -date.getTimezoneOffset() * 60],
    ];
    fields.forEach((field, at) => this.setInt(into + 4 * at, field));
  }
}

/** A function as tables of WebAssembly hold them: what a module exports that imports it. Numbers of 64 bits become numbers. */
function asWasm(parameters: string, returns: "i" | "", fn: Callback): unknown {
  const types = (names: string): number[] => [names.length, ...[...names].map((name) => kTypeCodes[name] ?? 0)];
  const type = [1, 0x60, ...types(parameters), ...types(returns)];
  const name = [1, 0x66];
  const program = new Uint8Array([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...[1, type.length, ...type],
    ...[2, 7, 1, 1, 0x65, ...name, 0, 0],
    ...[7, 5, 1, ...name, 0, 0],
  ]);
  const call = parameters.includes("j") ? (...values: (number | bigint)[]) => fn(...values.map(Number)) : fn;
  return new WebAssembly.Instance(new WebAssembly.Module(program), { e: { f: call } }).exports.f;
}

let machine: Machine | undefined;

/** The machine of this thread: it starts when a test opens its first database. */
export function theMachine(): Machine {
  return (machine ??= new Machine(Buffer.from(program, "base64")));
}
