// Fills storage.kv for the curve of its rows, and measures where plugins use it.
import type { SvcPluginApi } from "@get-svc/plugin-sdk";

const any = { "~standard": { version: 1 as const, vendor: "growth", validate: (value: unknown) => ({ value }) } };
const method = { input: any, output: any };
const kInFlight = 64;
const keyOf = (index: number): string => `row:${String(index).padStart(8, "0")}`;

/** Runs `act` for each index of a range, some at a time; milliseconds for all. */
async function timed(from: number, to: number, act: (index: number) => Promise<unknown>): Promise<number> {
  let next = from;
  const started = performance.now();
  const worker = async (): Promise<void> => {
    while (next < to) {
      await act(next++);
    }
  };
  await Promise.all(Array.from({ length: kInFlight }, worker));
  return performance.now() - started;
}

export default function growth(svc: SvcPluginApi): void {
  const { kv } = svc.storage;
  svc.rpc.register(
    { fill: method, touch: method },
    {
      fill: async (input: unknown) => {
        const { from, to } = input as { from: number; to: number };
        await timed(from, to, (index) => kv.set(keyOf(index), { index }));
      },
      touch: async (input: unknown) => {
        const { rows, times } = input as { rows: number; times: number };
        // Every row in no order that a cache would like.
        const any = (index: number): string => keyOf((index * 7_919) % rows);
        const set = await timed(0, times, (index) => kv.set(any(index), { index }));
        const get = await timed(0, times, (index) => kv.get(any(index)));
        // A hundred keys, wherever they are.
        const list = await timed(0, times / 100, (index) => kv.list(any(index).slice(0, -2)));
        return { setUs: (set * 1000) / times, getUs: (get * 1000) / times, listUs: (list * 100_000) / times };
      },
    },
  );
}
