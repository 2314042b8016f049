/** Files for SQLite: those of this machine, with locks that hold between the connections of this thread. */
import * as fs from "node:fs";
import { randomFillSync, randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import type { Address, Machine } from "./machine";

/** As SQLite counts them. */
const kOk = 0;
const kBusy = 5;
const kNotFound = 12;
const kFull = 13;
const kCannotOpen = 14;
const kIoError = { read: 266, shortRead: 522, write: 778, truncate: 1546, stat: 1802, delete: 2570, noSuchFile: 5898 };
const kReadOnly = 0x1;
const kReadWrite = 0x2;
const kCreate = 0x4;
const kDeleteOnClose = 0x8;
const kExclusive = 0x10;
const kMain = 0x100;
/** Locks of a file: nobody else begins to read from kPending on. */
const kShared = 1;
const kReserved = 2;
const kPending = 3;
const kExclusiveLock = 4;
/** Locks of the index of a write-ahead log. */
const kUnlock = 1;
const kLockShared = 4;

/** Where the members of `sqlite3_vfs` are, in pointers. */
const kMembers = { fileSize: 1, longestPath: 2, next: 3, name: 4, open: 6, delete: 7, access: 8, fullPath: 9, randomness: 14, sleep: 15 };
const kStructSize = 88;
const kFileSize = 8;
const kLongestPath = 4096;
const kSector = 4096;
const kName = "svc-test";

/** What the connections to one file have in common. */
interface Common {
  readonly key: string;
  readonly users: Set<OpenFile>;
  /** The index of the write-ahead log. */
  readonly regions: Address[];
}

interface OpenFile {
  readonly fd: number;
  readonly path: string;
  readonly deleteOnClose: boolean;
  readonly common: Common;
  lock: number;
  /** Whether it looks at the index. */
  mapped: boolean;
  /** Bits of the slots of the index. */
  shared: number;
  exclusive: number;
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code;

/** Registers the files with SQLite and answers their name. */
export function registerFiles(machine: Machine): Address {
  const { calls } = machine;
  const vfs = machine.allocate(kStructSize);
  const standard = calls.sqlite3_vfs_find(0);
  machine.bytes.copyWithin(vfs, standard, standard + kStructSize);
  const name = machine.allocate(kName.length + 1);
  machine.bytes.set([...Buffer.from(kName), 0], name);
  const files = new Files(machine);
  const set = (member: keyof typeof kMembers, value: number) => machine.setInt(vfs + 4 * kMembers[member], value);
  set("fileSize", kFileSize);
  set("longestPath", kLongestPath);
  set("next", 0);
  set("name", name);
  const define = (member: keyof typeof kMembers, parameters: string, fn: (...values: number[]) => number) =>
    set(member, machine.pointer(parameters, "i", fn));
  define("open", "iiiii", (_vfs, path = 0, file = 0, flags = 0, out = 0) => files.open(path, file, flags, out));
  define("delete", "iii", (_vfs, path = 0) => files.delete(path));
  define("access", "iiii", (_vfs, path = 0, how = 0, out = 0) => files.access(path, how, out));
  define("fullPath", "iiii", (_vfs, path = 0, size = 0, out = 0) => files.fullPath(path, size, out));
  define("randomness", "iii", (_vfs, size = 0, out = 0) => (randomFillSync(machine.bytes, out, size), size));
  define("sleep", "ii", (_vfs, micros = 0) => (Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, micros / 1000), micros));
  calls.sqlite3_vfs_register(vfs, 0);
  return name;
}

class Files {
  readonly #open = new Map<Address, OpenFile>();
  readonly #common = new Map<string, Common>();
  readonly #methods: Address;

  constructor(private readonly machine: Machine) {
    const method = (parameters: string, fn: (file: OpenFile, ...values: number[]) => number): number =>
      machine.pointer(parameters, "i", (at = 0, ...values) => fn(this.#open.get(at)!, ...values));
    const pointers = [
      machine.pointer("i", "i", (at = 0) => this.#close(at)),
      method("iiij", (file, into = 0, size = 0, from = 0) => this.#read(file, into, size, from)),
      method("iiij", (file, bytes = 0, size = 0, to = 0) => this.#write(file, bytes, size, to)),
      method("ij", ({ fd }, size = 0) => attempt(kIoError.truncate, () => fs.ftruncateSync(fd, size))),
      // What a test writes need not survive a failure of the power.
      method("ii", () => kOk),
      method("ii", ({ fd }, out = 0) => attempt(kIoError.stat, () => machine.setLong(out, fs.fstatSync(fd).size))),
      method("ii", (file, level = 0) => lock(file, level)),
      method("ii", (file, level = 0) => ((file.lock = level), kOk)),
      method("ii", (file, out = 0) => (machine.setInt(out, [...file.common.users].some((user) => user.lock >= kReserved) ? 1 : 0), kOk)),
      method("iii", () => kNotFound),
      method("i", () => kSector),
      method("i", () => 0),
      method("iiiii", (file, index = 0, size = 0, extend = 0, out = 0) => this.#map(file, index, size, extend, out)),
      method("iiii", (file, first = 0, count = 0, flags = 0) => lockIndex(file, ((1 << count) - 1) << first, flags)),
      machine.pointer("i", "", () => undefined),
      method("ii", (file) => this.#unmap(file)),
    ];
    const version = 2;
    this.#methods = machine.allocate(4 * (pointers.length + 1));
    [version, ...pointers].forEach((value, at) => machine.setInt(this.#methods + 4 * at, value));
  }

  open(path: Address, at: Address, flags: number, out: Address): number {
    this.machine.setInt(at, 0);
    const name = path === 0 ? join(tmpdir(), `svc-sqlite-${randomUUID()}`) : this.machine.text(path);
    const deleteOnClose = (flags & kDeleteOnClose) !== 0 || path === 0;
    const access = flags & kReadOnly ? fs.constants.O_RDONLY : fs.constants.O_RDWR;
    const creation = (flags & kCreate ? fs.constants.O_CREAT : 0) | (flags & kExclusive ? fs.constants.O_EXCL : 0);
    const mode = flags & kMain ? 0o644 : 0o600;
    let given = flags;
    let fd: number;
    try {
      fd = fs.openSync(name, access | creation, mode);
    } catch (error) {
      if (!(flags & kReadWrite) || !["EACCES", "EPERM", "EROFS"].includes(String(codeOf(error)))) {
        return kCannotOpen;
      }
      try {
        fd = fs.openSync(name, fs.constants.O_RDONLY);
      } catch {
        return kCannotOpen;
      }
      given = (flags & ~(kReadWrite | kCreate)) | kReadOnly;
    }
    const { dev, ino, ...stat } = fs.fstatSync(fd);
    if ((stat.mode & fs.constants.S_IFMT) === fs.constants.S_IFDIR) {
      fs.closeSync(fd);
      return kCannotOpen;
    }
    const key = `${dev}:${ino}`;
    const common = this.#common.get(key) ?? { key, users: new Set(), regions: [] };
    this.#common.set(key, common);
    const file: OpenFile = { fd, path: name, deleteOnClose, common, lock: 0, mapped: false, shared: 0, exclusive: 0 };
    common.users.add(file);
    this.#open.set(at, file);
    this.machine.setInt(at, this.#methods);
    if (out !== 0) {
      this.machine.setInt(out, given);
    }
    return kOk;
  }

  delete(path: Address): number {
    try {
      fs.unlinkSync(this.machine.text(path));
      return kOk;
    } catch (error) {
      return codeOf(error) === "ENOENT" ? kIoError.noSuchFile : kIoError.delete;
    }
  }

  /** `how`: 0 whether it is there, 1 whether it can be written, 2 read. A file without bytes counts as none. */
  access(path: Address, how: number, out: Address): number {
    const name = this.machine.text(path);
    let found = true;
    try {
      fs.accessSync(name, [fs.constants.F_OK, fs.constants.R_OK | fs.constants.W_OK, fs.constants.R_OK][how]);
      found = how !== 0 || !fs.statSync(name).isFile() || fs.statSync(name).size > 0;
    } catch {
      found = false;
    }
    this.machine.setInt(out, found ? 1 : 0);
    return kOk;
  }

  fullPath(path: Address, size: number, out: Address): number {
    const bytes = Buffer.from(`${resolve(this.machine.text(path))}\0`);
    if (bytes.length > size) {
      return kCannotOpen;
    }
    this.machine.bytes.set(bytes, out);
    return kOk;
  }

  #close(at: Address): number {
    const file = this.#open.get(at);
    if (file !== undefined) {
      this.#open.delete(at);
      file.common.users.delete(file);
      if (file.common.users.size === 0) {
        this.#common.delete(file.common.key);
      }
      fs.closeSync(file.fd);
      if (file.deleteOnClose) {
        fs.rmSync(file.path, { force: true });
      }
    }
    return kOk;
  }

  #read({ fd }: OpenFile, into: Address, size: number, from: number): number {
    const { bytes } = this.machine;
    let done = 0;
    try {
      for (let read = -1; done < size && read !== 0; done += read) {
        read = fs.readSync(fd, bytes, into + done, size - done, from + done);
      }
    } catch {
      return kIoError.read;
    }
    bytes.fill(0, into + done, into + size);
    return done === size ? kOk : kIoError.shortRead;
  }

  #write({ fd }: OpenFile, from: Address, size: number, to: number): number {
    try {
      for (let done = 0; done < size;) {
        done += fs.writeSync(fd, this.machine.bytes, from + done, size - done, to + done);
      }
      return kOk;
    } catch (error) {
      return codeOf(error) === "ENOSPC" ? kFull : kIoError.write;
    }
  }

  #map(file: OpenFile, index: number, size: number, extend: number, out: Address): number {
    const { common } = file;
    file.mapped = true;
    if (common.regions[index] === undefined && extend !== 0) {
      const region = this.machine.allocate(size);
      this.machine.bytes.fill(0, region, region + size);
      common.regions[index] = region;
    }
    this.machine.setInt(out, common.regions[index] ?? 0);
    return kOk;
  }

  /** The index goes with the last connection: it is made anew from the log. */
  #unmap(file: OpenFile): number {
    file.mapped = false;
    file.shared = file.exclusive = 0;
    const { users, regions } = file.common;
    if (![...users].some(({ mapped }) => mapped)) {
      regions.splice(0).forEach((region) => this.machine.calls.sqlite3_free(region));
    }
    return kOk;
  }
}

function attempt(failure: number, action: () => void): number {
  try {
    action();
    return kOk;
  } catch {
    return failure;
  }
}

const others = (file: OpenFile): OpenFile[] => [...file.common.users].filter((user) => user !== file);

function lock(file: OpenFile, level: number): number {
  const highest = Math.max(0, ...others(file).map((other) => other.lock));
  if (file.lock >= level) {
    return kOk;
  }
  if (highest >= (level === kShared ? kPending : kReserved)) {
    return kBusy;
  }
  if (level === kExclusiveLock && highest >= kShared) {
    file.lock = kPending;
    return kBusy;
  }
  file.lock = level;
  return kOk;
}

function lockIndex(file: OpenFile, slots: number, flags: number): number {
  if (flags & kUnlock) {
    file.shared &= ~slots;
    file.exclusive &= ~slots;
    return kOk;
  }
  const isShared = (flags & kLockShared) !== 0;
  if (others(file).some((other) => ((isShared ? 0 : other.shared) | other.exclusive) & slots)) {
    return kBusy;
  }
  if (isShared) {
    file.shared |= slots;
  } else {
    file.exclusive |= slots;
  }
  return kOk;
}
