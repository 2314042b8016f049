import type { MaybePromise } from "./json.js";
import type { MachineState } from "./records.js";

// Accepted and validated, listed in `unsupported[]` of the plugin's record, and not used by this version of the service.

type Callback = (...args: never[]) => MaybePromise<unknown>;

/** What `availability` of a registration answers. */
export type Availability = { status: "available" } | { status: Exclude<MachineState, "available">; message: string };

interface Described {
  id: string;
  displayName: string;
  description: string;
}

/** A maker of environments, as `svc.experimental_environments.register` takes it. Checked, listed as unsupported, and never called. */
export interface EnvironmentRegistration extends Described {
  icon: string;
  requires?: unknown;
  inputs?: unknown;
  availability?(): MaybePromise<Availability>;
  validate?: Callback;
  create: Callback;
  remove: Callback;
  restore?: Callback;
  policy?: unknown;
}

/** A maker of machines, as `svc.experimental_machines.register` takes it. Checked, listed as unsupported, and never called. */
export interface MachineRegistration extends Described {
  icon: string;
  ephemeral?: boolean;
  inputs?: unknown;
  create: Callback;
  /** Only together with `resume`. */
  suspend?: Callback;
  resume?: Callback;
  reconcileCleanup?: Callback;
  remove: Callback;
}

/**
 * A way to the server from elsewhere, as `svc.experimental_serverAccess.register` takes it. Checked, listed as unsupported, and never
 * called.
 */
export interface ServerAccessRegistration extends Described {
  availability(): MaybePromise<Availability>;
  acquire: Callback;
  release: Callback;
}

/**
 * Completion or transcription for the service itself, as `svc.experimental_aiServices.register` takes it. Checked, listed as unsupported,
 * and never called.
 */
export interface AiServiceRegistration {
  id: string;
  displayName: string;
  complete?(prompt: string, options: { signal: AbortSignal }): MaybePromise<unknown>;
  transcribe?(file: unknown, options: { signal: AbortSignal; hint?: string }): MaybePromise<unknown>;
  status?(): MaybePromise<unknown>;
}

/** `svc.experimental_environments`: accepted, without effect. */
export interface PluginEnvironments {
  register(registration: EnvironmentRegistration): void;
  recheck(): void;
}

/** `svc.experimental_machines`: accepted, without effect. */
export interface PluginMachines {
  register(registration: MachineRegistration): void;
  /** Rejects with `not_supported`. */
  bootstrap(options?: unknown): Promise<never>;
  /** Rejects with `not_supported`. */
  getResource(hostId: string): Promise<never>;
}

/** `svc.experimental_serverAccess`: accepted, without effect. */
export interface PluginServerAccess {
  register(registration: ServerAccessRegistration): void;
}

/** `svc.experimental_aiServices`: accepted, without effect. */
export interface PluginAiServices {
  register(registration: AiServiceRegistration): void;
}
