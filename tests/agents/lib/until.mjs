import { setTimeout as pause } from "node:timers/promises";

/** Waits for something that another process makes true; the bound is generous, because only a broken one reaches it. */
export async function until(what, isTrue, { seconds = 30 } = {}) {
  const end = Date.now() + seconds * 1_000;
  while (!(await isTrue())) {
    if (Date.now() > end) {
      throw new Error(`${what}: not within ${seconds} s`);
    }
    await pause(50);
  }
}
