// What both sides of the host RPC benchmark run: the contract, the handler, and the loop that measures.
import { z } from "zod";

const message = z.object({ index: z.number().int(), text: z.string() });
export const contract = { echo: { input: message, output: message } };

export const echo = (given) => given;

const text = "x".repeat(200);

/**
 * Calls for some seconds, `inFlight` at a time. Every answer is compared with its question.
 *
 * @param {(input: { index: number; text: string }) => Promise<{ index: number; text: string }>} call
 * @param {{ seconds: number; inFlight: number }} load
 */
export async function measure(call, { seconds, inFlight }) {
  /** @type {number[]} */
  const times = [];
  let next = 0;
  const begin = performance.now();
  const end = begin + seconds * 1000;
  const caller = async () => {
    for (let now = begin; now < end;) {
      const index = next++;
      const sent = performance.now();
      const answer = await call({ index, text });
      now = performance.now();
      times.push(now - sent);
      if (answer.index !== index || answer.text !== text) {
        throw new Error(`call ${index} got the answer of call ${answer.index}`);
      }
    }
  };
  await Promise.all(Array.from({ length: inFlight }, caller));
  const elapsed = performance.now() - begin;
  times.sort((a, b) => a - b);
  const percentile = (/** @type {number} */ share) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { operations: times.length, perSecond: (times.length * 1000) / elapsed, p50Ms: percentile(0.5), p99Ms: percentile(0.99) };
}
