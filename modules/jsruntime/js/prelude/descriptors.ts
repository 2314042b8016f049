/**
 * A descriptor is a number, and the server's files, databases and sockets have numbers too: a script reaches those that it
 * has opened, every other is EBADF. The walls stand in Node's own bindings, where every way to use a number ends.
 *
 * 0 to 2 belong to the server. What is written to 1 and 2 goes where the script's own streams go, reading 0 finds its end,
 * and closing one does nothing.
 */
import type { ThreadBinding } from "../binding.js";
import { internalBinding } from "./internals.js";
import { guardSockets } from "./sockets.js";

type Function = (...args: any[]) => any;

/** Who closes a descriptor. Matches DescriptorTable::Holder. */
const kNobody = 0;
const kNumber = 1;
const kHandle = 2;

/** Of Node: has `fd` as long as it is open. */
interface Handle {
  readonly fd: number;
  releaseFD?(): number;
}

type FileSystemBinding = Record<string, Function | undefined>;

interface OpeningBinding {
  open: Function;
  openFileHandle(...args: unknown[]): Promise<Handle>;
  /** Keeps the asynchronous context in which it was made. */
  FSReqCallback: new () => { oncomplete?: Function };
  FileHandle: new (descriptor: number, ...rest: unknown[]) => Handle & { close(): unknown };
}

type Openable = Record<string, { prototype: { open(this: Handle, descriptor: number, ...rest: unknown[]): number } }>;

/** No process has so many: the kernel itself says EBADF. */
const kNobodys = 0x7fff_ffff;

export const isStandard = (descriptor: unknown): boolean => descriptor === 0 || isOutput(descriptor);
const isOutput = (descriptor: unknown): boolean => descriptor === 1 || descriptor === 2;

export class OwnDescriptors {
  readonly #thread: ThreadBinding;
  /** Objects of this thread that close their descriptor; sometimes only the collector lets go of one. */
  readonly #handles = new Map<number, WeakRef<Handle>>();
  readonly #collected = new FinalizationRegistry<{ descriptor: number; handle: WeakRef<Handle> }>(({ descriptor, handle }) => {
    if (this.#handles.get(descriptor) === handle) {
      this.#lost(descriptor);
    }
  });

  constructor(thread: ThreadBinding) {
    this.#thread = thread;
  }

  opened(descriptor: number): void {
    this.#handles.delete(descriptor);
    this.#thread.setHolder(descriptor, kNumber);
  }

  /** Why no more files may be opened. */
  refusal(): Error | undefined {
    const [used, most] = this.#thread.descriptors();
    if (most === 0 || used < most) {
      return undefined;
    }
    const message = `EMFILE: the plugin has ${used} open descriptors, the limit is ${most} (plugins.descriptors): close files, or raise it in plugins.overrides`;
    return Object.assign(new Error(message), { code: "EMFILE", errno: -24, syscall: "open" });
  }

  /** `handle` closes it from now on. */
  give(descriptor: number, handle: Handle): void {
    const reference = new WeakRef(handle);
    this.#handles.set(descriptor, reference);
    this.#collected.register(handle, { descriptor, handle: reference });
    this.#thread.setHolder(descriptor, kHandle);
  }

  remove(descriptor: number): void {
    this.#handles.delete(descriptor);
    this.#thread.removeDescriptor(descriptor);
  }

  /** Its object is closed, and the number may be another's by now; or it was moved to another thread with its object. */
  #lost(descriptor: number): void {
    this.#handles.delete(descriptor);
    this.#thread.removeClosed(descriptor);
  }

  has(descriptor: number): boolean {
    return this.#holder(descriptor) !== kNobody;
  }

  /** `descriptor`, or one that is not open when it is not the script's. */
  orNobodys = (descriptor: number): number => (this.has(descriptor) ? descriptor : kNobodys);

  /** True when the script may close the number, or hand it on. A FileHandle lets go of it. */
  take(descriptor: number): boolean {
    const holder = this.#holder(descriptor);
    if (holder !== kHandle) {
      return holder === kNumber;
    }
    const handle = this.#handles.get(descriptor)?.deref();
    if (typeof handle?.releaseFD !== "function") {
      return false;
    }
    handle.releaseFD();
    this.opened(descriptor);
    return true;
  }

  #holder(descriptor: number): 0 | 1 | 2 {
    const holder = this.#thread.holderOf(descriptor);
    const handle = holder === kHandle ? this.#handles.get(descriptor) : undefined;
    if (handle !== undefined && handle.deref()?.fd !== descriptor) {
      this.#lost(descriptor);
      return this.#thread.holderOf(descriptor);
    }
    return holder;
  }
}

export function guardDescriptors(process: NodeJS.Process, thread: ThreadBinding): OwnDescriptors {
  const own = new OwnDescriptors(thread);
  const fs = internalBinding<FileSystemBinding & OpeningBinding>(process, "fs");
  guardFileSystem(process, fs, own);
  guardFileHandles(process, fs, own, thread.openFile);
  for (const [name, type] of [
    ["pipe_wrap", "Pipe"],
    ["tcp_wrap", "TCP"],
    ["udp_wrap", "UDP"],
  ] as const) {
    const { prototype } = internalBinding<Openable>(process, name)[type]!;
    const { open } = prototype;
    prototype.open = function (descriptor, ...rest) {
      const error = open.call(this, own.take(descriptor) ? descriptor : kNobodys, ...rest);
      if (!error) {
        own.give(descriptor, this);
      }
      return error;
    };
  }
  const terminals = internalBinding<{ TTY: new (descriptor: number, ...rest: unknown[]) => Handle }>(process, "tty_wrap");
  terminals.TTY = new Proxy(terminals.TTY, {
    construct: (target, [descriptor, ...rest], newTarget) => {
      const terminal = Reflect.construct(target, [own.take(descriptor) ? descriptor : kNobodys, ...rest], newTarget) as Handle;
      if (terminal.fd === descriptor) {
        own.give(descriptor, terminal); // otherwise it has opened the terminal once more
      }
      return terminal;
    },
  });
  guardSockets(process, thread, own);
  return own;
}

function guardFileSystem(process: NodeJS.Process, fs: FileSystemBinding, own: OwnDescriptors): void {
  const standard = standardActions(process, fs);
  const guard = (name: string, mayUse: (descriptor: number) => boolean): void => {
    const original = fs[name];
    if (original === undefined) {
      return; // of another Node
    }
    const act = standard[name];
    fs[name] = (descriptor: unknown, ...rest: unknown[]) => {
      if (typeof descriptor !== "number" || mayUse(descriptor)) {
        return original(descriptor, ...rest);
      }
      const answer = isStandard(descriptor) ? act?.(descriptor, rest) : undefined;
      return answer === undefined ? original(kNobodys, ...rest) : answer.value;
    };
  };
  const kUsing = ["read", "readBuffers", "writeBuffer", "writeBuffers", "writeString", "readFileUtf8", "writeFileUtf8"];
  const kChanging = ["fsync", "fdatasync", "ftruncate", "fchmod", "fchown", "futimes"];
  for (const name of [...kUsing, ...kChanging]) {
    guard(name, (descriptor) => own.has(descriptor));
  }
  guard("fstat", (descriptor) => isStandard(descriptor) || own.has(descriptor));
  guard("close", (descriptor) => {
    const mine = own.take(descriptor);
    if (mine) {
      own.remove(descriptor); // before it is closed: the number is another's at once
    }
    return mine;
  });
}

function guardFileHandles(process: NodeJS.Process, fs: OpeningBinding, own: OwnDescriptors, openFile: ThreadBinding["openFile"]): void {
  const { FSReqCallback } = fs;
  const { open, FileHandle } = fs;
  fs.open = (...args: unknown[]) => {
    const request = args.at(-1) as { oncomplete?: Function } | undefined;
    const refusal = own.refusal();
    if (refusal !== undefined && typeof request?.oncomplete === "function") {
      process.nextTick(() => request.oncomplete?.(refusal));
      return undefined;
    }
    if (refusal !== undefined) {
      throw refusal;
    }
    if (typeof request?.oncomplete === "function") {
      return openFile(args[0], args[1], args[2], request);
    }
    const descriptor: unknown = open(...args);
    if (typeof descriptor === "number") {
      own.opened(descriptor);
    }
    return descriptor;
  };
  fs.openFileHandle = async (...args) => {
    const refusal = own.refusal();
    if (refusal !== undefined) {
      throw refusal;
    }
    const descriptor = await new Promise<number>((resolve, reject) => {
      const request = new FSReqCallback();
      request.oncomplete = (error: Error | null, opened: number) => (error ? reject(error) : resolve(opened));
      openFile(args[0], args[1], args[2], request);
    });
    const handle = new FileHandle(descriptor);
    own.give(descriptor, handle);
    return handle;
  };
  const { close } = FileHandle.prototype;
  FileHandle.prototype.close = function () {
    if (this.fd < 0) {
      return Promise.reject(badDescriptor("close")); // closed by its number: Node would abort
    }
    own.remove(this.fd);
    return close.call(this);
  };
  // HTTP/2 makes one around a number.
  fs.FileHandle = new Proxy(FileHandle, {
    construct: (target, args, newTarget) => {
      if (!own.has(args[0])) {
        throw badDescriptor("open");
      }
      return Reflect.construct(target, args, newTarget) as Handle;
    },
  });
  FileHandle.prototype.constructor = fs.FileHandle;
}

const badDescriptor = (syscall: string): Error =>
  Object.assign(new Error(`EBADF: bad file descriptor, ${syscall}`), { code: "EBADF", errno: -9, syscall });

/** What becomes of the use of 0 to 2, by function of the binding; nothing when it is refused. */
function standardActions(
  process: NodeJS.Process,
  fs: FileSystemBinding,
): Record<string, (descriptor: number, args: unknown[]) => { value: unknown } | undefined> {
  const { nextTick } = process;
  /** As the binding answers: a request and a promise later, a synchronous call at once. */
  const answer = (args: unknown[], result: unknown): { value: unknown } => {
    const request = args.at(-1) as { oncomplete?: Function } | undefined;
    if (request === (fs["kUsePromises"] as unknown)) {
      return { value: Promise.resolve(result) };
    }
    if (typeof request?.oncomplete === "function") {
      nextTick(() => request.oncomplete?.(null, result));
      return { value: undefined };
    }
    return { value: result };
  };
  const write = (descriptor: number, args: unknown[], pieces: (Uint8Array | string)[]) => {
    if (!isOutput(descriptor)) {
      return undefined;
    }
    const all = Buffer.concat(pieces.map((piece) => Buffer.from(piece as string)));
    (descriptor === 1 ? process.stdout : process.stderr).write(all);
    return answer(args, all.length);
  };
  const bytes = (view: NodeJS.ArrayBufferView): Buffer => Buffer.from(view.buffer, view.byteOffset, view.byteLength);
  const read = (descriptor: number, args: unknown[]) => (descriptor === 0 ? answer(args, 0) : undefined);
  const sync = (descriptor: number, args: unknown[]) => (isOutput(descriptor) ? answer(args, undefined) : undefined);
  return {
    close: (_descriptor, args) => answer(args, undefined),
    read,
    readBuffers: read,
    readFileUtf8: (descriptor, args) => (descriptor === 0 ? answer(args, "") : undefined),
    fsync: sync,
    fdatasync: sync,
    writeBuffer: (descriptor, args) => {
      const [data, offset, length] = args as [NodeJS.ArrayBufferView, number, number];
      return write(descriptor, args, [bytes(data).subarray(offset, offset + length)]);
    },
    writeBuffers: (descriptor, args) => write(descriptor, args, (args[0] as NodeJS.ArrayBufferView[]).map(bytes)),
    writeString: (descriptor, args) => {
      const [text, , encoding] = args as [string, unknown, BufferEncoding | undefined];
      return write(descriptor, args, [Buffer.from(text, encoding ?? "utf8")]);
    },
    writeFileUtf8: (descriptor, args) => write(descriptor, args, [args[0] as string]),
  };
}
