// What the server entry and the host entry agree on. Both sides check it.
import { z } from "zod";

export const disk = z.object({
  /** Where it is mounted. */
  path: z.string(),
  device: z.string(),
  totalBytes: z.number().nonnegative(),
  /** For users without special rights. */
  freeBytes: z.number().nonnegative(),
  usedBytes: z.number().nonnegative(),
});
export type Disk = z.infer<typeof disk>;

/** `at`: epoch milliseconds, of the machine's clock. */
export const usage = z.object({ at: z.number(), disks: z.array(disk) });
export type Usage = z.infer<typeof usage>;

/** Who follows, and for how long without another call. */
const follower = z.object({ id: z.string().min(1), everyMs: z.number().int().min(500), forMs: z.number().int().min(1_000) });

export const hostContract = {
  read: { input: null, output: usage },
  follow: { input: follower, output: usage },
  unfollow: { input: follower.pick({ id: true }), output: z.object({ followers: z.number() }) },
};

export const hostSignals = { usage: { payload: usage } };
