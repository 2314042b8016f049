/** Which machine is meant, and what to tell an agent about one. */
import type { Host, PluginSdk } from "@get-svc/plugin-sdk";

/** What whoever called can do something about: its text is the answer. */
export class MachineError extends Error {
  override readonly name = "MachineError";
}

interface ServiceError extends Error {
  code?: string;
  details?: { code?: string };
}

/** What to do about a failure, by the code of the service or of the machine. */
const kHints: Readonly<Record<string, string>> = {
  host_unavailable: "machine_list says which machines are connected.",
  not_found: "machine_files shows what is there.",
  forbidden: "The user of the machine's daemon may not do this, or its files.roots do not have this place. Tell the user.",
  invalid_command: "The machine's daemon is older than this service and has to be updated. Tell the user.",
};

/**
 * By id, by name, or by the only beginning that fits. Without `wanted` it is the only machine that has ever been there, else the
 * server's own.
 */
export async function findMachine(sdk: PluginSdk, wanted: string | undefined, signal: AbortSignal): Promise<Host> {
  const all = await sdk.hosts.list({ signal });
  if (wanted === undefined) {
    return defaultOf(all);
  }
  const lower = wanted.toLowerCase();
  const exact = all.find(({ id, name }) => id === wanted || name === wanted);
  const fitting =
    exact === undefined ? all.filter(({ id, name }) => id.startsWith(wanted) || name.toLowerCase().startsWith(lower)) : [exact];
  const [found] = fitting;
  if (found === undefined) {
    throw new MachineError(`There is no machine "${wanted}". ${thoseThereAre(all)}`);
  }
  if (fitting.length > 1) {
    throw new MachineError(`Several machines begin with "${wanted}". ${thoseThereAre(fitting)}`);
  }
  return found;
}

function defaultOf(all: readonly Host[]): Host {
  const known = all.filter(isKnown);
  const [first] = known;
  if (first === undefined) {
    throw new MachineError("No machine has ever been connected. The user adds one with `svc machine enroll`.");
  }
  const own = known.find(({ role, status }) => role === "server" && status === "connected");
  if (known.length > 1 && own === undefined) {
    throw new MachineError(`Say which machine: the server's own is not connected. ${thoseThereAre(known)}`);
  }
  return known.length === 1 ? first : (own as Host);
}

/** The server's own machine is in every list, also where no daemon runs on it. */
function isKnown({ status, lastSeenAt }: Host): boolean {
  return status === "connected" || lastSeenAt !== null;
}

function thoseThereAre(all: readonly Host[]): string {
  return ["Those there are:", ...all.map(describeMachine)].join("\n");
}

export function describeMachine({ id, name, role, status, state, stateMessage, lastSeenAt }: Host): string {
  const since = lastSeenAt === null ? "has never been connected" : `not connected, last seen ${timeText(lastSeenAt)}`;
  const facts = [
    ...(role === "server" ? ["the server's own machine"] : []),
    status === "connected" ? (state === "available" ? "connected" : `connected, ${state}`) : since,
  ];
  return `${name} (${id}): ${facts.join(", ")}${stateMessage === null ? "" : `. ${stateMessage}`}`;
}

/** Minutes are enough, and UTC is the same on every machine. */
export function timeText(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

const kUnits = ["B", "KiB", "MiB", "GiB", "TiB"];

export function sizeText(bytes: number): string {
  const unit = bytes < 1024 ? 0 : Math.min(kUnits.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** unit).toFixed(unit === 0 ? 0 : 1)} ${kUnits[unit]}`;
}

/** Failures of the service about this machine become ones that say what to do; all else stays what it is. */
export async function on<Result>({ name }: Host, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const { name: kind, code = "", message, details } = error as ServiceError;
    if (kind !== "HttpError" && kind !== "RequestTimeoutError") {
      throw error;
    }
    const hint = kHints[code === "host_error" ? (details?.code ?? "") : code];
    throw new MachineError(`${name}: ${message}${hint === undefined ? "" : `\n${hint}`}`);
  }
}
