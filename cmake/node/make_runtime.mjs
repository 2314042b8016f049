// make_runtime.mjs <node> <runtime>: writes a copy of the executable of Node.js that runs our programs.
//
// The copy differs in a few bytes, all of them in functions that nothing calls afterwards or in one call:
//   node::Start      loads ../lib/svc/start.so and goes on in its main(), so that Node's own never runs.
//   uv__work_submit, uv_queue_work, uv_cancel
//                    the only ways to libuv's pool of threads: each jumps to where its slot points. The slots stand where
//                    the queues of that pool would be; the library of the runtime fills them (modules/jsruntime/src/uv_slots.h).
//   uv_accept        as the inspector calls it, through a slot too.
//   SetFipsCrypto, SetEngine, SetClientCertEngine, SetEngineKey
//                    of node::crypto, which change OpenSSL for the whole process or end it: through slots.
// It is done here and not while the program starts: code that stays as it is in the file needs no page that is written and
// run, and debuggers and profilers read from the file what runs.
import { chmodSync, readFileSync, renameSync, writeFileSync } from "node:fs";

const [source, target] = process.argv.slice(2);

function refuse(why) {
  console.error(
    `${source}: ${why}.\nIt is not the Node.js that cmake/node/package-lock.json names, or that one needs another make_runtime.mjs.`,
  );
  process.exit(1);
}

const file = readFileSync(source);
const word = (at) => Number(file.readBigUInt64LE(at));

if (file.readUInt32BE(0) !== 0x7f454c46 || file[4] !== 2 || file.readUInt16LE(16) !== 2 || file.readUInt16LE(18) !== 62) {
  refuse("not an executable for x86-64 at fixed addresses");
}

const sectionSize = file.readUInt16LE(58);
const sections = Array.from({ length: file.readUInt16LE(60) }, (_, index) => {
  const at = word(40) + index * sectionSize;
  return {
    name: file.readUInt32LE(at),
    type: file.readUInt32LE(at + 4),
    address: word(at + 16),
    offset: word(at + 24),
    size: word(at + 32),
    link: file.readUInt32LE(at + 40),
  };
});

function text(at) {
  return file.toString("latin1", at, file.indexOf(0, at));
}

const names = sections[file.readUInt16LE(62)].offset;
function section(name) {
  return sections.find((each) => text(names + each.name) === name) ?? refuse(`no section ${name}`);
}

const kSymbol = 24;
function symbolName(table, index) {
  return text(sections[table.link].offset + file.readUInt32LE(table.offset + index * kSymbol));
}

function symbolsNamed(wanted) {
  const table = section(".symtab");
  const found = new Map();
  for (let at = table.offset; at < table.offset + table.size; at += kSymbol) {
    const start = sections[table.link].offset + file.readUInt32LE(at);
    for (const name of wanted) {
      if (file[start + name.length] === 0 && file.toString("latin1", start, start + name.length) === name) {
        if (found.has(name)) {
          refuse(`two symbols ${name}`);
        }
        found.set(name, { address: word(at + 8), size: word(at + 16) });
      }
    }
  }
  return (name) => found.get(name) ?? refuse(`no symbol ${name}`);
}

function offsetOf(address) {
  const code = section(".text");
  return address >= code.address && address < code.address + code.size
    ? address - code.address + code.offset
    : refuse("a symbol outside of .text");
}

/** The stub through which the executable calls a function of the C library. */
function importOf(name) {
  const relocations = section(".rela.plt");
  for (let index = 0; index * kSymbol < relocations.size; ++index) {
    if (symbolName(section(".dynsym"), file.readUInt32LE(relocations.offset + index * kSymbol + 12)) === name) {
      return section(".plt").address + 16 * (index + 1);
    }
  }
  return refuse(`${name} is not imported`);
}

/** Machine code for an address: bytes, and what depends on where they stand. */
class Code {
  #address;
  #bytes = [];
  constructor(address) {
    this.#address = address;
  }
  get bytes() {
    return Buffer.from(this.#bytes);
  }
  get here() {
    return this.#address + this.#bytes.length;
  }
  add(...bytes) {
    this.#bytes.push(...bytes);
    return this;
  }
  number(value) {
    const four = Buffer.alloc(4);
    four.writeInt32LE(value);
    return this.add(...four);
  }
  distance(to) {
    return this.number(to - (this.here + 4));
  }
  call(to) {
    return this.add(0xe8).distance(to);
  }
  jumpThrough(slot) {
    return this.add(0xff, 0x25).distance(slot);
  }
  text(value) {
    return this.add(...Buffer.from(`${value}\0`, "latin1"));
  }
}

/** Puts `code` in the place of the function `symbol`, whose first bytes are known. */
function replace(symbol, expected, code) {
  const at = offsetOf(symbol.address);
  const begin = Buffer.from(expected, "hex");
  if (!file.subarray(at, at + begin.length).equals(begin)) {
    refuse(`other code at ${symbol.address.toString(16)} than expected`);
  }
  if (code.bytes.length > symbol.size) {
    refuse("no room for the code");
  }
  file.fill(0xcc, at, at + symbol.size);
  code.bytes.copy(file, at);
}

const kStart = "_ZN4node5StartEiPPc";
const kInspectorsAccept =
  "_ZN4node9inspector9TcpHolder6AcceptEP11uv_stream_sSt10unique_ptrINS0_15InspectorSocket8DelegateESt14default_deleteIS6_EE";
const kArguments = (at) => `ERKN2v820FunctionCallbackInfoINS${at}_5ValueEEE`;
// In the order of the slots.
const kRefusedOfCrypto = [
  `_ZN4node6crypto13SetFipsCrypto${kArguments(1)}`,
  `_ZN4node6crypto9SetEngine${kArguments(1)}`,
  `_ZN4node6crypto13SecureContext19SetClientCertEngine${kArguments(2)}`,
  `_ZN4node6crypto13SecureContext12SetEngineKey${kArguments(2)}`,
];
const symbol = symbolsNamed([
  kStart,
  kInspectorsAccept,
  "uv__work_submit",
  "uv_queue_work",
  "uv_cancel",
  "uv_accept",
  "slow_io_pending_wq",
  "run_slow_work_message",
  "exit_message",
  ...kRefusedOfCrypto,
]);

// Heads of lists beside each other, the third of which has a name that others have, too: eight slots.
const slots = symbol("slow_io_pending_wq").address;
if (
  symbol("run_slow_work_message").address !== slots + 16 ||
  symbol("exit_message").address !== slots + 48 ||
  symbol("exit_message").size !== 16
) {
  refuse("libuv's queues are not where they are expected");
}
const [kSubmit, kQueue, kCancel, kAccept, ...kRefusals] = Array.from({ length: 8 }, (_, index) => slots + 8 * index);

function startCode({ address }) {
  const code = new Code(address);
  const texts = address + 128;
  const path = "$ORIGIN/../lib/svc/start.so";
  code.add(0x53, 0x55, 0x41, 0x54); // push rbx, rbp, r12
  code.add(0x89, 0xfb, 0x48, 0x89, 0xf5, 0x49, 0x89, 0xd4); // mov ebx, edi; mov rbp, rsi; mov r12, rdx
  code.add(0xbf).number(texts); // mov edi, path
  code.add(0xbe).number(2); // mov esi, RTLD_NOW
  code.call(importOf("dlopen"));
  code.add(0x48, 0x89, 0xc7, 0x48, 0x85, 0xc0, 0x74, 29); // mov rdi, rax; test rax, rax; je failed
  code.add(0xbe).number(texts + path.length + 1); // mov esi, "main"
  code.call(importOf("dlsym"));
  code.add(0x48, 0x85, 0xc0, 0x74, 14); // test rax, rax; je failed
  code.add(0x89, 0xdf, 0x48, 0x89, 0xee, 0x4c, 0x89, 0xe2); // mov edi, ebx; mov rsi, rbp; mov rdx, r12
  code.add(0x41, 0x5c, 0x5d, 0x5b, 0xff, 0xe0); // pop r12, rbp, rbx; jmp rax
  code.call(importOf("dlerror"));
  code.add(0x48, 0x89, 0xc3, 0x48, 0x89, 0xc7); // mov rbx, rax; mov rdi, rax
  code.call(importOf("strlen"));
  code.add(0x48, 0x89, 0xc2, 0x48, 0x89, 0xde, 0xbf).number(2); // mov rdx, rax; mov rsi, rbx; mov edi, 2
  code.call(importOf("write"));
  code.add(0xbf).number(1); // mov edi, 1
  code.call(importOf("_exit"));
  while (code.here < texts) {
    code.add(0xcc);
  }
  return code.text(path).text("main");
}

function callOf(from, to) {
  for (let at = from.address; at < from.address + from.size; ++at) {
    const place = offsetOf(at);
    if (file[place] === 0xe8 && at + 5 + file.readInt32LE(place + 1) === to) {
      return at;
    }
  }
  return refuse("the inspector accepts by other means than expected");
}

const call = callOf(symbol(kInspectorsAccept), symbol("uv_accept").address);
const queue = symbol("uv_queue_work");
// What the library looks for before it fills the slots, then the way of the inspector's call.
const queueCode = new Code(queue.address).jumpThrough(kQueue).text("svc-slots-2");
const accept = queueCode.here;
queueCode.jumpThrough(kAccept);
const kPushed = "554889e5"; // push rbp; mov rbp, rsp
replace(symbol(kStart), "554889f289fe4889e5", startCode(symbol(kStart)));
replace(symbol("uv__work_submit"), `${kPushed}41574989ffbf`, new Code(symbol("uv__work_submit").address).jumpThrough(kSubmit));
replace(queue, "4885d2", queueCode);
replace(symbol("uv_cancel"), `${kPushed}415641554154538b4708`, new Code(symbol("uv_cancel").address).jumpThrough(kCancel));
for (const [index, name] of kRefusedOfCrypto.entries()) {
  replace(symbol(name), kPushed, new Code(symbol(name).address).jumpThrough(kRefusals[index]));
}
new Code(call).call(accept).bytes.copy(file, offsetOf(call));

writeFileSync(`${target}.new`, file);
chmodSync(`${target}.new`, 0o755);
renameSync(`${target}.new`, target);
