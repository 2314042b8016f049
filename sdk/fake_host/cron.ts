/**
 * Says what is wrong with a schedule expression, in the words of the server, whose reader (modules/plugins/src/cron.cpp) also
 * computes the times. tests/contract/plugin_host holds the two together.
 */

interface Field {
  name: string;
  first: number;
  last: number;
  /** Of the values from `first` on. */
  names: readonly string[];
}

interface Piece {
  text: string;
  /** Where it stands in the expression. */
  at: number;
}

const kSunday = 7;
const kMonths = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const kFields: readonly Field[] = [
  { name: "minute", first: 0, last: 59, names: [] },
  { name: "hour", first: 0, last: 23, names: [] },
  { name: "day of month", first: 1, last: 31, names: [] },
  { name: "month", first: 1, last: 12, names: kMonths },
  { name: "day of week", first: 0, last: kSunday, names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] },
];
const kOrder = "minute hour day-of-month month day-of-week";
const kMacros = ["@hourly", "@daily", "@midnight", "@weekly", "@monthly", "@yearly", "@annually"];
const kLengths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Throws an Error whose message ends in the position of the problem. */
export function checkCron(expression: string): void {
  const pieces = words(expression);
  if (pieces.length === 1 && pieces[0]!.text.startsWith("@")) {
    checkMacro(pieces[0]!);
    return;
  }
  if (pieces.length !== kFields.length) {
    const at = pieces[kFields.length]?.at ?? Buffer.byteLength(expression);
    const count = `${pieces.length} field${pieces.length === 1 ? "" : "s"}`;
    refuse(at, `the expression has ${count}, expected 5: ${kOrder}`);
  }
  const values = kFields.map((field, index) => readField(field, pieces[index]!));
  const days = pieces[2]!;
  const months = pieces[3]!;
  const everyWeekDay = isEvery(pieces[4]!);
  if (!isEvery(days) && everyWeekDay && !someDate(values[2]!, values[3]!)) {
    refuse(days.at, `no month of "${months.text}" has a day "${days.text}", so the schedule would never run`);
  }
}

function refuse(at: number, what: string): never {
  throw new Error(`${what} (position ${at + 1})`);
}

/** Positions count bytes, as the server's do. */
function words(text: string): Piece[] {
  return [...text.matchAll(/[^ \t]+/g)].map((match) => ({
    text: match[0],
    at: Buffer.byteLength(text.slice(0, match.index)),
  }));
}

function part(piece: Piece, begin: number, end?: number): Piece {
  return { text: piece.text.slice(begin, end), at: piece.at + Buffer.byteLength(piece.text.slice(0, begin)) };
}

function checkMacro(piece: Piece): void {
  if (kMacros.includes(piece.text.toLowerCase())) {
    return;
  }
  const known = `${kMacros.slice(0, -1).join(", ")} or ${kMacros.at(-1)}`;
  refuse(piece.at, `"${piece.text}" is not a known name; expected ${known}`);
}

function isEvery({ text }: Piece): boolean {
  return text === "*" || text === "*/1";
}

function readField(field: Field, piece: Piece): Set<number> {
  const values = new Set<number>();
  let begin = 0;
  for (const text of piece.text.split(",")) {
    const item = part(piece, begin, begin + text.length);
    if (text === "") {
      refuse(item.at, `the ${field.name} is missing a value; expected ${expected(field)}`);
    }
    addItem(field, item, values);
    begin += text.length + 1;
  }
  return values;
}

function expected({ first, last, names }: Field): string {
  const number = `a number from ${first} to ${last}`;
  return names.length === 0 ? number : `${number} or a name from ${names[0]} to ${names.at(-1)}`;
}

function addItem(field: Field, item: Piece, values: Set<number>): void {
  const slash = item.text.indexOf("/");
  const stepped = slash >= 0;
  const [from, to] = readRange(field, part(item, 0, stepped ? slash : undefined), stepped);
  const step = stepped ? readStep(field, part(item, slash + 1)) : 1;
  for (let value = from; value <= to; value += step) {
    values.add(field.last === kSunday ? value % kSunday : value);
  }
}

/** `stepped`: a step follows, which makes a single value the start of a range. */
function readRange(field: Field, piece: Piece, stepped: boolean): [from: number, to: number] {
  const last = field.last === kSunday ? kSunday - 1 : field.last;
  if (piece.text === "*") {
    return [field.first, last];
  }
  const dash = piece.text.indexOf("-");
  const from = readValue(field, part(piece, 0, dash < 0 ? undefined : dash));
  if (dash < 0) {
    return [from, stepped ? Math.max(last, from) : from];
  }
  let to = readValue(field, part(piece, dash + 1));
  if (field.last === kSunday && to === 0 && from > 0) {
    to = kSunday;
  }
  if (from > to) {
    refuse(piece.at, `the range "${piece.text}" of the ${field.name} begins after its end`);
  }
  return [from, to];
}

function readValue(field: Field, piece: Piece): number {
  const name = field.names.indexOf(piece.text.toLowerCase());
  if (name >= 0) {
    return field.first + name;
  }
  const value = /^\d{1,4}$/.test(piece.text) ? Number(piece.text) : NaN;
  if (!(value >= field.first && value <= field.last)) {
    refuse(piece.at, `${field.name} "${piece.text}" is not ${expected(field)}`);
  }
  return value;
}

function readStep(field: Field, piece: Piece): number {
  const most = (field.last === kSunday ? kSunday - 1 : field.last) - field.first + 1;
  const step = /^\d+$/.test(piece.text) ? Number(piece.text) : NaN;
  if (!(step >= 1 && step <= most)) {
    refuse(piece.at, `step "${piece.text}" of the ${field.name} is not a number from 1 to ${most}`);
  }
  return step;
}

function someDate(days: Set<number>, months: Set<number>): boolean {
  return [...months].some((month) => [...days].some((day) => day <= kLengths[month - 1]!));
}
