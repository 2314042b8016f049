import type { SvcPluginApi } from "@get-svc/plugin-sdk";

/** Something a plugin does with `svc`, in order, on both hosts; they must say the same. */
export interface Attempt {
  name: string;
  run(svc: any): unknown;
  /** Message of the error, with its name in front when that is not "TypeError". */
  refused?: string;
  /** The result as JSON; undefined is null. */
  gives?: unknown;
}

export type Outcome = { value: unknown } | { error: { name: string; message: string; code: string | null } };

export function refuses(name: string, refused: string, run: Attempt["run"]): Attempt {
  return { name, run, refused };
}

export function gives(name: string, value: unknown, run: Attempt["run"]): Attempt {
  return { name, run, gives: value };
}

export async function outcomeOf(attempt: Attempt, svc: SvcPluginApi): Promise<Outcome> {
  try {
    return { value: (await attempt.run(svc)) ?? null };
  } catch (error) {
    const { name, message, code } = error as { name: string; message: string; code?: string };
    return { error: { name, message, code: code ?? null } };
  }
}
