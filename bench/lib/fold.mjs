// Samples of `perf script` as folded stacks: one text for each, outermost frame first, with the number of its samples.

/** Between frames of a folded stack. */
export const kSeparator = ";";

const kHeader = /^(\S.*?)\s+(\d+)\/(\d+)/;
const kFrame = /^\s+([0-9a-f]+) (.*) \((.*)\)$/;
/** Where the walk over a stack ended because it went on in code without tables for it. */
const kNoAddress = /^f{16}$/;

/** V8 names the code it has compiled only when it is told to, and the server's runtime takes no flags. */
const kCompiled = "JavaScript (compiled, without names)";

/** Kinds of code, by the file that has it: the first that fits. */
const kKinds = [
  ["javascript", /^\/tmp\/perf-\d+\.map$|^\/\/anon|^\[?anon|^\[JIT\]/],
  ["kernel", /^\[kernel|\.ko$|^\[guest\.kernel/],
  ["node", /libnode|\/node$/],
  ["svc", /\/(svcd|svc|svc-hostd)$|\/libsvc_|\/svc\/(modules\/)?[^/]*\.so/],
];

const kindOf = (file) => kKinds.find(([, pattern]) => pattern.test(file))?.[0] ?? "library";

/** The word and the sign that is the name of an operator: its brackets enclose nothing. */
const kOperator = /\boperator(?:\(\)|<=>|<<=?|<=?|>>=?|>=?|->\*?)/y;

/** Without parameters and arguments of templates, which would be most of the text. */
export function shortName(symbol) {
  let depth = 0;
  let name = "";
  for (let index = 0; index < symbol.length; ++index) {
    const character = symbol[index];
    kOperator.lastIndex = index;
    const operator = depth === 0 ? kOperator.exec(symbol)?.[0] : undefined;
    if (operator !== undefined) {
      name += operator;
      index += operator.length - 1;
    } else if ("<({".includes(character)) {
      depth += 1;
      name += ["lambda", "anonymous"].find((word) => symbol.startsWith(word, index + 1)) ?? "";
    } else if (">)}".includes(character)) {
      depth -= 1;
    } else if (depth === 0) {
      name += character;
    }
  }
  return name.replace(/ \[clone .*$| const$/, "").trim() || symbol;
}

function frameOf([, address, symbol, file]) {
  if (kNoAddress.test(address)) {
    return null;
  }
  const kind = kindOf(file);
  if (kind === "javascript" && symbol === "[unknown]") {
    return { name: kCompiled, kind };
  }
  const name = symbol === "[unknown]" ? `[${file.split("/").at(-1)}]` : shortName(symbol);
  return { name: name.replaceAll(kSeparator, ","), kind };
}

/** What `perf script -F comm,pid,tid,ip,sym,dso` printed: of each sample its process, its thread, and its frames from the outermost on. */
export function parseSamples(text) {
  const samples = [];
  let sample;
  for (const line of text.split("\n")) {
    const header = kHeader.exec(line);
    const found = header === null ? kFrame.exec(line) : null;
    if (header !== null) {
      sample = { thread: header[1], pid: Number(header[2]), tid: Number(header[3]), frames: [] };
      samples.push(sample);
    } else if (found !== null && sample !== undefined) {
      const frame = frameOf(found);
      // Compiled code that calls compiled code says nothing more.
      if (frame !== null && frame.name !== sample.frames[0]?.name) {
        sample.frames.unshift(frame);
      }
    }
  }
  return samples;
}

const textOf = ({ name, kind }) => `${name}\u0000${kind}`;

/** A frame of a folded stack again. */
export function frameOfText(text) {
  const [name, kind = "thread"] = text.split("\u0000");
  return { name, kind };
}

/** Adds samples to `programs`: of each program, folded stacks below the name of the thread. `names` are those of processes. */
export function addStacks(programs, samples, names) {
  const mains = new Map(samples.filter(({ pid, tid }) => pid === tid).map(({ pid, thread }) => [pid, thread]));
  for (const { pid, thread, frames } of samples) {
    const program = names.get(pid) ?? mains.get(pid) ?? thread;
    const stacks = programs.get(program) ?? new Map();
    programs.set(program, stacks);
    const stack = [thread.replaceAll(kSeparator, ","), ...frames.map(textOf)].join(kSeparator);
    stacks.set(stack, (stacks.get(stack) ?? 0) + 1);
  }
  return programs;
}
