/**
 * Sockets and pipes are descriptors of the process like files: those of one plugin must not be all that there are. Their objects
 * open and close them, so they are counted where these do.
 */
import type { ThreadBinding } from "../binding.js";
import type { OwnDescriptors } from "./descriptors.js";
import { stdioOf } from "./child_process.js";
import { internalBinding } from "./internals.js";

type Method = (this: Socket, ...args: any[]) => any;

/** Of Node: has `fd` as long as it is open. */
interface Socket {
  readonly fd: number;
  onconnection?: ((this: Socket, status: number, client?: Socket) => void) | null;
  close(): void;
}

type Prototype = Record<string, Method>;
type Binding = Record<string, { prototype: Prototype }>;

const kTooManyOpen = -24; // EMFILE, as libuv says it

export function guardSockets(process: NodeJS.Process, thread: ThreadBinding, own: OwnDescriptors): void {
  const counted = new WeakSet<Socket>();
  let warned = false;

  const count = (socket: Socket | undefined): void => {
    if (socket !== undefined && socket.fd >= 0 && !counted.has(socket)) {
      counted.add(socket);
      thread.openedSocket();
    }
  };
  /** True when there is no room; the reason is in the log of the plugin, once. */
  const isFull = (): boolean => {
    const refusal = own.refusal();
    if (refusal !== undefined && !warned) {
      warned = true;
      process.emitWarning(refusal.message);
    }
    return refusal !== undefined;
  };
  const wrap = (prototype: Prototype, name: string, make: (original: Method) => Method): void => {
    const original = prototype[name];
    if (original !== undefined) {
      prototype[name] = make(original);
    }
  };
  const opens = (original: Method): Method =>
    function (...args) {
      if (!counted.has(this) && isFull()) {
        return kTooManyOpen;
      }
      const error: unknown = original.apply(this, args);
      count(this);
      return error;
    };
  const closes = (original: Method): Method =>
    function (...args) {
      if (counted.delete(this)) {
        thread.closedSocket();
      }
      return original.apply(this, args);
    };
  /** Who connects where there is no room is sent away. */
  const listens = (original: Method): Method =>
    function (...args) {
      const { onconnection } = this;
      if (typeof onconnection === "function") {
        this.onconnection = function (status, client) {
          if (client !== undefined && isFull()) {
            client.close();
            return;
          }
          count(client);
          onconnection.call(this, status, client);
        };
      }
      return original.apply(this, args);
    };

  const kOpening = ["bind", "bind6", "connect", "connect6"];
  const closing = new Set<Prototype>();
  for (const [name, type] of [
    ["tcp_wrap", "TCP"],
    ["pipe_wrap", "Pipe"],
    ["udp_wrap", "UDP"],
  ] as const) {
    const { prototype } = internalBinding<Binding>(process, name)[type]!;
    for (const method of kOpening) {
      wrap(prototype, method, opens);
    }
    wrap(prototype, "listen", listens);
    wrap(prototype, "reset", closes);
    closing.add(holderOf(prototype, "close"));
  }
  for (const prototype of closing) {
    wrap(prototype, "close", closes);
  }
  wrap(
    internalBinding<Binding>(process, "process_wrap")["Process"]!.prototype,
    "spawn",
    (original) =>
      function (...args) {
        if (isFull()) {
          return kTooManyOpen;
        }
        const error: unknown = original.apply(this, args);
        for (const { handle } of stdioOf<{ handle?: Socket }>(args)) {
          count(handle);
        }
        return error;
      },
  );
}

/** The prototype in the chain that has the method itself: objects of several kinds share it. */
function holderOf(prototype: Prototype, name: string): Prototype {
  let holder = prototype;
  while (!Object.hasOwn(holder, name)) {
    holder = Object.getPrototypeOf(holder) as Prototype;
  }
  return holder;
}
