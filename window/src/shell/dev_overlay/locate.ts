import { originalPositionFor, sourceContentFor, TraceMap } from "@jridgewell/trace-mapping";

import type { DevFailure } from "./dev_failures";
import type { Place } from "./editors";

export interface Frame extends Place {
  /** Of the function; empty where it has no name. */
  name: string;
}

export interface CodeLine {
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

interface Sources {
  map: TraceMap;
}

const loads = new Map<string, Promise<Sources | null>>();

/** The map of a bundle is at its end while it is developed; what is published has none. */
async function load(address: string): Promise<Sources | null> {
  const response = await fetch(address);
  const [, encoded] = kInlineMap.exec(response.ok ? await response.text() : "") ?? [];
  if (encoded === undefined) {
    return null;
  }
  const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
  return { map: new TraceMap(new TextDecoder().decode(bytes)) };
}

function sourcesOf(address: string): Promise<Sources | null> {
  let pending = loads.get(address);
  if (pending === undefined) {
    pending = load(address).catch(() => null);
    loads.set(address, pending);
  }
  return pending;
}

/** The path in the plugin: the bundle lies in `dist`. Null for what the plugin did not write. */
function ownFile(source: string | null): string | null {
  if (source === null || /(^|\/)node_modules\/|^[\w-]+:/.test(source)) {
    return null;
  }
  const file = source.replace(/^(\.\.\/)+/, "");
  return file.startsWith("dist/") ? null : file;
}

/** V8 writes `at name (address)`, others `name@address`. */
function nameIn(line: string): string {
  const [, name = ""] = /^\s*at (?:async )?(?:new )?([^\s(]+) \(/.exec(line) ?? /^([^@\s]+)@/.exec(line) ?? [];
  return name.replace(/^.*\./, "");
}

async function locateInStack(stack: string): Promise<Location> {
  const frames: Frame[] = [];
  let code: CodeLine[] = [];
  for (const written of stack.split("\n")) {
    const [, address, line, column] = kBundle.exec(written) ?? [];
    const sources = address === undefined ? null : await sourcesOf(address);
    if (sources === null) {
      continue;
    }
    const found = originalPositionFor(sources.map, { line: Number(line), column: Number(column) - 1 });
    const file = ownFile(found.source);
    if (file === null || found.line === null) {
      continue;
    }
    frames.push({ name: nameIn(written), file, line: found.line, column: found.column + 1 });
    if (frames.length === 1) {
      code = around(sourceContentFor(sources.map, found.source ?? "") ?? "", found.line);
    }
  }
  return { frames, code };
}

function around(text: string, line: number): CodeLine[] {
  const lines = text.split("\n");
  const first = Math.max(1, line - kAround);
  return text === "" ? [] : lines.slice(first - 1, line + kAround).map((each, at) => ({ number: first + at, text: each }));
}

/** Finds where a failure happened. Never rejects: what cannot be found is left out. */
export async function locate({ kind, message, stack }: Pick<DevFailure, "kind" | "message" | "stack">): Promise<Location> {
  if (kind === "build") {
    const [, file, line, column] = kBuildPlace.exec(message) ?? [];
    return file === undefined ? kNowhere : { frames: [{ name: "", file, line: Number(line), column: Number(column) }], code: [] };
  }
  return stack === null ? kNowhere : locateInStack(stack).catch(() => kNowhere);
}
