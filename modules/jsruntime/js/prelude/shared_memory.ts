/** Memory that threads share is counted by V8 nowhere: a plugin has room for as much of it as for other Buffers of its workers. */
import type { ThreadBinding } from "../binding.js";

const kPage = 65_536;

export function guardSharedMemory(thread: ThreadBinding): void {
  const collected = new FinalizationRegistry<number>((bytes) => thread.giveShared(bytes));
  const counted = <T extends object>(make: () => T, sizeOf: (made: T) => number): T => {
    const made = make();
    const bytes = sizeOf(made);
    if (!thread.takeShared(bytes)) {
      throw new RangeError("Array buffer allocation failed: the shared memory of the plugin's threads reached its limit");
    }
    collected.register(made, bytes);
    return made;
  };
  const wrap = <T extends new (...args: never[]) => object>(type: T, sizeOf: (made: InstanceType<T>) => number): T => {
    const wrapped = new Proxy(type, {
      construct: (target, args, newTarget) =>
        counted(() => Reflect.construct(target, args, newTarget) as InstanceType<T>, sizeOf as (made: object) => number),
    });
    Object.defineProperty(type.prototype, "constructor", { value: wrapped });
    return wrapped;
  };
  const define = (owner: object, name: string, value: unknown): void => {
    Object.defineProperty(owner, name, { value, writable: true, enumerable: false, configurable: true });
  };
  define(
    globalThis,
    "SharedArrayBuffer",
    wrap(SharedArrayBuffer, (made) => made.byteLength),
  );
  const sharedBytes = ({ buffer }: { buffer: ArrayBufferLike }): number => (buffer instanceof SharedArrayBuffer ? buffer.byteLength : 0);
  const Memory = wrap(WebAssembly.Memory, sharedBytes);
  define(WebAssembly, "Memory", Memory);
  const { grow } = Memory.prototype;
  Memory.prototype.grow = function (pages) {
    const shared = sharedBytes(this) > 0;
    if (shared && !thread.takeShared(pages * kPage)) {
      throw new RangeError("WebAssembly.Memory.grow(): the shared memory of the plugin's threads reached its limit");
    }
    const before = grow.call(this, pages);
    if (shared) {
      collected.register(this, pages * kPage);
    }
    return before;
  };
}
