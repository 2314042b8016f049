// One timer per window. Everything the app entry registers looks at this one.

export interface TimerState {
  /** Epoch milliseconds; undefined while no session runs. */
  endsAt?: number;
  minutes: number;
}

let state: TimerState = { minutes: 25 };
const listeners = new Set<() => void>();

function change(next: TimerState): void {
  state = next;
  for (const listener of [...listeners]) {
    listener();
  }
}

export const timer = {
  get: () => state,
  subscribe: (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
  start: (minutes: number) => change({ minutes, endsAt: Date.now() + minutes * 60_000 }),
  stop: () => change({ minutes: state.minutes }),
};

/** `12:05`; what is left of the session, rounded up to seconds. */
export function remaining(endsAt: number, now: number): string {
  const seconds = Math.max(0, Math.ceil((endsAt - now) / 1_000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
