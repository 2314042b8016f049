import { originalPositionFor, sourceContentFor, TraceMap } from "@jridgewell/trace-mapping";

/** A place in the sources of a plugin. */
interface Frame {
  /** Of the function; empty where it has no name. */
  name: string;
  /** Relative to the plugin. */
  file: string;
  line: number;
  column: number;
}

interface CodeLine {
  number: number;
  text: string;
}

/** Where a failure happened. */
export interface Location {
  /** Of the plugin's own files, the nearest first; packages and the window are left out. */
  frames: Frame[];
  /** Lines around the first frame. */
  code: CodeLine[];
}

const kNowhere: Location = { frames: [], code: [] };
/** Lines shown before and after the one that failed. */
const kAround = 2;
const kBundle = /(https?:\/\/[^\s()@]*?\/api\/v1\/plugins\/[^/\s]+\/assets\/app\.js[^\s():]*):(\d+):(\d+)/;
const kInlineMap = /\/\/# sourceMappingURL=data:application\/json;(?:charset=[^;]+;)?base64,([A-Za-z0-9+/=]+)\s*$/;
/** As the build says it: `app.tsx:24:5: Expected ")"`. */
const kBuildPlace = /^([^\s:][^:\n]*):(\d+):(\d+): /;

/** Bundles whose maps are kept: of what is developed, there is another one with each change. */
const kKept = 4;
/** Characters up to which a bundle is searched for its map. */
const kMaxBundle = 32 * 1024 * 1024;
/** Lines of a stack that are looked at. */
const kMaxLines = 50;

const loads = new Map<string, Promise<TraceMap | null>>();

/** The map of a bundle is at its end while it is developed; what is published has none. */
async function load(address: string): Promise<TraceMap | null> {
  const response = await fetch(address);
  const bundle = response.ok ? await response.text() : "";
  const [, encoded] = (bundle.length > kMaxBundle ? null : kInlineMap.exec(bundle)) ?? [];
  if (encoded === undefined) {
    return null;
  }
  const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
  return new TraceMap(new TextDecoder().decode(bytes));
}

function mapOf(address: string): Promise<TraceMap | null> {
  let pending = loads.get(address);
  if (pending === undefined) {
    pending = load(address).catch(() => null);
    loads.set(address, pending);
    for (const oldest of [...loads.keys()].slice(0, -kKept)) {
      loads.delete(oldest);
    }
  }
  return pending;
}

/** The path in the plugin: the bundle lies in `dist`. Null for what no file of it is, such as a module of the window. */
function fileOf(source: string | null): string | null {
  const file = source === null || /^[\w-]+:/.test(source) ? null : source.replace(/^(\.\.\/)+/, "");
  return file?.startsWith("dist/") === true ? null : file;
}

const isOfPackage = (file: string): boolean => /(^|\/)node_modules\//.test(file);

/** V8 writes `at name (address)`, others `name@address`. */
function nameIn(line: string): string {
  const [, name = ""] = /^\s*at (?:async )?(?:new )?([^\s(]+) \(/.exec(line) ?? /^([^@\s]+)@/.exec(line) ?? [];
  return name.replace(/^.*\./, "");
}

/** Where in the sources a line of a stack is; null for what is in no bundle with a map. */
async function placeOf(written: string) {
  const [, address, line, column] = kBundle.exec(written) ?? [];
  const map = address === undefined ? null : await mapOf(address);
  if (map === null) {
    return null;
  }
  const found = originalPositionFor(map, { line: Number(line), column: Number(column) - 1 });
  const { source, line: sourceLine } = found;
  const file = fileOf(source);
  return source === null || file === null || sourceLine === null
    ? null
    : { file, line: sourceLine, column: found.column + 1, content: () => sourceContentFor(map, source) ?? "" };
}

async function locateInStack(stack: string): Promise<Location> {
  const frames: Frame[] = [];
  let code: CodeLine[] = [];
  for (const written of stack.split("\n", kMaxLines)) {
    const place = await placeOf(written);
    if (place === null || isOfPackage(place.file)) {
      continue;
    }
    const { file, line, column, content } = place;
    frames.push({ name: nameIn(written), file, line, column });
    if (frames.length === 1) {
      code = around(content(), line);
    }
  }
  return { frames, code };
}

/** The stack with places in the sources for those in bundles; as it is where no map says which. */
export async function mapStack(stack: string): Promise<string> {
  const lines = stack.split("\n");
  for (const [at, written] of lines.slice(0, kMaxLines).entries()) {
    const place = await placeOf(written);
    if (place !== null) {
      lines[at] = written.replace(kBundle, `${place.file}:${place.line}:${place.column}`.replaceAll("$", "$$$$"));
    }
  }
  return lines.join("\n");
}

function around(text: string, line: number): CodeLine[] {
  const lines = text.split("\n");
  const first = Math.max(1, line - kAround);
  return text === "" ? [] : lines.slice(first - 1, line + kAround).map((each, at) => ({ number: first + at, text: each }));
}

/** `page`: of code that runs; `build`: said by the build. */
interface LocatedFailure {
  kind: "page" | "build";
  message: string;
  stack: string | null;
}

/** Finds where a failure happened. Never rejects: what cannot be found is left out. */
export async function locate({ kind, message, stack }: LocatedFailure): Promise<Location> {
  if (kind === "build") {
    const [, file, line, column] = kBuildPlace.exec(message) ?? [];
    return file === undefined ? kNowhere : { frames: [{ name: "", file, line: Number(line), column: Number(column) }], code: [] };
  }
  return stack === null ? kNowhere : locateInStack(stack).catch(() => kNowhere);
}
