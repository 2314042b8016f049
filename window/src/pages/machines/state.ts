import type { Host } from "@/api/hosts";
import { ownMember } from "@/lib/own";
import type { BadgeTone } from "@/ui";

export interface MachineBadge {
  label: string;
  tone: BadgeTone;
}

/** What a machine's state is called. */
export function machineBadge({ state, status }: Pick<Host, "state" | "status">): MachineBadge {
  switch (state) {
    case "available":
      // Between a lost connection and the end of its grace, calls fail already.
      return status === "connected" ? { label: "Connected", tone: "success" } : { label: "Reconnecting", tone: "neutral" };
    case "setup-required":
      return { label: "Setup required", tone: "warning" };
    default:
      return { label: "Unavailable", tone: "neutral" };
  }
}

/** What the service says of a state, as a sentence. */
export function sentence(message: string): string {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

export function roleOf({ role, type }: Pick<Host, "role" | "type">): string {
  return role === "server" ? "The server's own machine" : type === "ephemeral" ? "Temporary machine" : "Machine";
}

const kSystems: Readonly<Record<string, string>> = { linux: "Linux", darwin: "macOS", win32: "Windows" };

/** `linux-x64` → `Linux, x64`. */
export function platformName(platform: string | null | undefined): string | null {
  if (platform === undefined || platform === null || platform === "") {
    return null;
  }
  const [system = "", ...rest] = platform.split(/[-/ ]/);
  return [ownMember(kSystems, system.toLowerCase()) ?? system, rest.join("-")].filter((part) => part !== "").join(", ");
}

/** `L:enroll-ttl`, in milliseconds. */
export const kCodeLifetimeMs = 15 * 60_000;

/** Milliseconds that a code is valid, on a computer whose clock may differ from the server's. */
export function lifetimeOf(expiresAt: number, now: number): number {
  const left = expiresAt - now;
  return left > 0 && left <= kCodeLifetimeMs ? left : kCodeLifetimeMs;
}

/** `14:05`; what is left, rounded up to seconds. */
export function formatCountdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** What to run on the machine that joins. */
export function joinCommand(server: string, code: string): string {
  return `svc-hostd join --server ${server} --code ${code}`;
}

/** Whether an address means the computer itself: other machines cannot use it. */
export function isLoopback(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, "").toLowerCase();
  return name === "localhost" || name.endsWith(".localhost") || name === "::1" || /^127(\.\d{1,3}){3}$/.test(name);
}
