// What both sides of the RPC benchmark run: one schema for the input, one for the output, one handler.
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
