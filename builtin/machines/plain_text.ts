/** The output of a terminal as text: what a person would have read, without what steers the screen. */

/** Titles and the like (up to BEL or ST), sequences with parameters, and the short ones. */
const kEscapes = /\x1b(?:\][^\x07\x1b]*(?:\x07|\x1b\\|$)|[PX^_][^\x1b]*(?:\x1b\\|$)|\[[0-?]*[ -/]*(?:[@-~]|$)|[ -/]*(?:[0-~]|$))/g;
const kOverstrikes = /[^\n\x08]\x08/g;
const kControls = /[\x00-\x08\x0b-\x1f\x7f]/g;

export function plainText(output: string): string {
  return output
    .replace(kEscapes, "")
    .replace(kOverstrikes, "")
    .replace(/\r+\n/g, "\n")
    .split("\n")
    .map((line) => lastState(line).replace(kControls, ""))
    .join("\n");
}

/** A line that was written over again and again, as progress is, has what came last. */
function lastState(line: string): string {
  return line.slice(line.trimEnd().lastIndexOf("\r") + 1);
}

export interface Tail {
  text: string;
  /** Of what stood before it. */
  leftOutBytes: number;
}

/** The end of a text, from the beginning of a line where there is one. */
export function tailOf(text: string, mostBytes: number): Tail {
  const bytes = Buffer.from(text);
  if (bytes.length <= mostBytes) {
    return { text, leftOutBytes: 0 };
  }
  const cut = bytes.length - mostBytes;
  const line = bytes.indexOf("\n", cut - 1) + 1;
  const from = line > 0 && line < bytes.length ? line : characterFrom(bytes, cut);
  return { text: bytes.subarray(from).toString(), leftOutBytes: from };
}

/** The beginning of a text: its whole characters only. */
export function headOf(text: string, mostBytes: number): string {
  const bytes = Buffer.from(text);
  let end = Math.min(mostBytes, bytes.length);
  while (end < bytes.length && end > 0 && isInsideCharacter(bytes[end])) {
    end -= 1;
  }
  return bytes.subarray(0, end).toString();
}

function characterFrom(bytes: Buffer, at: number): number {
  let from = at;
  while (from < bytes.length && isInsideCharacter(bytes[from])) {
    from += 1;
  }
  return from;
}

/** Every byte of a character in UTF-8 but its first one is 10xxxxxx. */
function isInsideCharacter(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
