// What the server entry and the host entry agree on. Both sides check it.
import { z } from "zod";

export const load = z.object({ system: z.string(), cores: z.number(), freeBytes: z.number(), totalBytes: z.number() });
export type Load = z.infer<typeof load>;

export const hostContract = { load: { input: null, output: load } };
