/** What is asked of terminals, checked as `modules/terminals/src/requests.cpp` and the machine check it. */
import { httpError } from "../../modules/sdkclient/js/call";
import type { Terminal } from "../src/records";
import { invalidInput, type Body } from "./body";
import { kHome } from "./machine_paths";

export type NewTerminal = Pick<Terminal, "scope" | "hostId" | "title" | "cols" | "rows" | "initialCwd"> & { command: string | null };

/** L:terminal-size and L:terminal-title. */
const kSize = 1000;
const kTitle = 200;

const kKinds = ["host_path", "environment", "thread"];
const kScopes = 'Expected { kind: "host_path", hostId, cwd }, { kind: "environment", environmentId } or { kind: "thread", threadId }';
/** Obeyed and not shown. */
const kOdd = /[\0-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
const onOneLine = (text: string): string => text.trim().replace(/[\r\n\t]/g, " ");

export function readSize(body: Body): { cols: number; rows: number } {
  const [cols, rows] = ["cols", "rows"].map((name) => {
    const value = body.members[name];
    if (!Number.isInteger(value) || (value as number) < 1 || (value as number) > kSize) {
      body.issue(`Expected a whole number from 1 to ${kSize} (limit terminalSize)`, name);
    }
    return value as number;
  }) as [number, number];
  return { cols, rows };
}

export function readTitle(body: Body): string {
  const title = onOneLine(body.requiredString("title"));
  if (typeof body.members["title"] !== "string") {
    return title;
  }
  const size = [...title].length;
  const odd = kOdd.exec(title)?.[0].codePointAt(0);
  if (size < 1 || size > kTitle) {
    body.issue(`Expected 1 to ${kTitle} characters (limit terminalTitle), got ${size}`, "title");
  } else if (odd !== undefined) {
    const code = odd.toString(16).toUpperCase().padStart(4, "0");
    body.issue(`it has the ${odd > 0xff ? "direction" : "control"} character U+${code}`, "title");
  }
  return title;
}

/** The first line of a command, as far as a title goes. */
function titleOf(command: string): string {
  const line = onOneLine(command.replace(/^[ \t\r]+/, "").split("\n")[0]!).replace(new RegExp(kOdd, "g"), "\ufffd");
  return [...line].slice(0, kTitle).join("") || "Terminal";
}

function readCommand(body: Body): string | null {
  const { start } = body.members;
  const { mode, command } = (start ?? {}) as { mode?: unknown; command?: unknown };
  if (mode === "command" && isText(command)) {
    return command;
  }
  if (start !== undefined && mode !== "shell") {
    body.issue('Expected { mode: "shell" } or { mode: "command", command }', "start");
  }
  return null;
}

export function readNewTerminal(body: Body): NewTerminal {
  const scope = (body.members["scope"] ?? body.members["target"] ?? {}) as Record<string, unknown>;
  const kind = String(scope["kind"]);
  const [cwd, hostId] = [scope["cwd"] ?? null, scope["hostId"] ?? null];
  if (!kKinds.includes(kind)) {
    body.issue(kScopes, "scope");
  } else if (kind !== "host_path" && !isText(scope[`${kind}Id`])) {
    body.issue("Expected an id", "scope", `${kind}Id`);
  }
  if (cwd !== null && typeof cwd !== "string") {
    body.issue("Expected a string or null", "scope", "cwd");
  }
  if (hostId !== null && !isText(hostId)) {
    body.issue("Expected the id of a machine", "scope", "hostId");
  }
  const size = readSize(body);
  const command = readCommand(body);
  const title = body.members["title"] === undefined ? titleOf(command ?? "") : readTitle(body);
  body.finish("route");
  if (kind !== "host_path") {
    throw httpError(501, "not_supported", `the fake has no terminals of a scope "${kind}"; stub terminals.create`);
  }
  const place = scope as Extract<Terminal["scope"], { kind: "host_path" }>;
  return { scope: place, hostId: place.hostId, title, command, ...size, initialCwd: directoryOf(place.cwd ?? "") };
}

/** Every directory is there: a test that plays programs has none. */
function directoryOf(cwd: string): string {
  if (cwd.includes("\0")) {
    throw invalidInput("the request is not valid: cwd: A path has no null characters");
  }
  const whole = cwd === "" || cwd === "~" || cwd.startsWith("~/") ? kHome + cwd.slice(1) : cwd;
  if (!whole.startsWith("/")) {
    throw invalidInput(`cwd: "${cwd}" is not absolute; begin it with / or ~/`);
  }
  return whole;
}
