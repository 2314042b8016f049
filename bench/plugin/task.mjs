// What both sides of the RPC benchmarks run: one schema for the input of each method, one for its output, one handler.
import { z } from "zod";

export const input = z.object({
  title: z.string().trim().min(1).max(200),
  priority: z.enum(["low", "normal", "high"]).default("normal"),
  tags: z.array(z.string().min(1).max(40)).max(10),
  dueAt: z.number().int().nonnegative(),
});

export const output = z.object({
  id: z.string(),
  title: z.string(),
  priority: z.enum(["low", "normal", "high"]),
  tags: z.array(z.string()),
  dueAt: z.number().int(),
  done: z.boolean(),
});

export function create(task) {
  return { id: "a1b2c3d4", title: task.title, priority: task.priority, tags: task.tags, dueAt: task.dueAt, done: false };
}

export const sample = { title: "  write the report ", priority: "high", tags: ["work", "writing"], dueAt: 1_700_000_000_000 };

/** Text as long as the caller likes, in both directions. */
const note = z.object({ title: z.string().min(1).max(200), text: z.string().max(500_000) });

export const contract = { create: { input, output }, note: { input: note, output: note } };
export const handlers = { create, note: (given) => given };
