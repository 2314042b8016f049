// The server entry: everything the plugin keeps and everything it can do. It runs inside the service; the page (app.tsx),
// the command line and agents all reach the list through what is registered here.
import { randomUUID } from "node:crypto";

import { defineRpcContract } from "@get-svc/plugin-sdk";
import type { PluginCliResult, PluginRpcHandlers, SvcPluginApi } from "@get-svc/plugin-sdk";
import { z } from "zod";

const title = z.string().trim().min(1, "A todo needs a title.").max(200, "A title has at most 200 characters.");

export const todoSchema = z.object({
  id: z.string(),
  title,
  done: z.boolean(),
  /** ISO 8601 */
  createdAt: z.string(),
});
export type Todo = z.infer<typeof todoSchema>;

export const rpcContract = defineRpcContract({
  todos_list: { input: null, output: z.object({ todos: z.array(todoSchema) }) },
  todos_add: { input: z.object({ title }), output: todoSchema },
  todos_set_done: { input: z.object({ id: z.string(), done: z.boolean() }), output: todoSchema },
  todos_remove: { input: z.object({ id: z.string() }), output: z.object({ removed: z.boolean() }) },
});

/** What the page is checked against. It imports only this type, so no server code gets into its bundle. */
export interface Types {
  rpc: typeof rpcContract;
  /** What is published, by channel. */
  signals: { "todos-changed": { count: number } };
}

export default function plugin(svc: SvcPluginApi<Types>): void {
  const settings = svc.settings.define({
    showDone: {
      type: "boolean",
      label: "Show done todos",
      description: "Off: lists leave out what is done.",
      default: true,
    },
  });
  const todos = createTodos(svc, async () => (await settings.get()).showDone);

  settings.onChange(() => todos.announce());
  svc.rpc.register(rpcContract, createHandlers(todos));
  registerCommand(svc, todos);
  svc.onDispose(() => svc.log.info("stopped"));

  // A service runs as long as the plugin does, and is started again when it fails. This one removes what was done more than
  // a month ago, once an hour:
  //
  // svc.background.service("tidy", {
  //   async start(signal) {
  //     while (!signal.aborted) {
  //       const limit = Date.now() - 30 * 24 * 60 * 60 * 1000;
  //       const old = (await todos.all()).filter((todo) => todo.done && Date.parse(todo.createdAt) < limit);
  //       await Promise.all(old.map((todo) => todos.remove(todo.id)));
  //       await sleep(60 * 60 * 1000, undefined, { signal }).catch(() => undefined);
  //     }
  //   },
  // });
  //
  // It needs: import { setTimeout as sleep } from "node:timers/promises";
}

// The list: one JSON value under one key (at most 262,144 bytes), the same for every channel.

type Todos = ReturnType<typeof createTodos>;

function createTodos(svc: SvcPluginApi<Types>, showDone: () => Promise<boolean>) {
  let last: Promise<unknown> = Promise.resolve();

  async function all(): Promise<Todo[]> {
    return (await svc.storage.kv.get<Todo[]>("todos")) ?? [];
  }

  function publish(todos: Todo[]): void {
    svc.realtime.publish("todos-changed", { count: todos.length });
  }

  async function write(todos: Todo[]): Promise<void> {
    await svc.storage.kv.set("todos", todos);
    publish(todos);
  }

  // Changes run one after another: each reads the whole list and writes it back, so two at once would lose one.
  function change<T>(step: (todos: Todo[]) => Promise<T>): Promise<T> {
    const result = last.then(async () => step(await all()));
    last = result.catch(() => undefined);
    return result;
  }

  return {
    all,

    /** What people and agents see: without done todos when the setting says so. */
    async list(): Promise<Todo[]> {
      const [todos, withDone] = await Promise.all([all(), showDone()]);
      return withDone ? todos : todos.filter((todo) => !todo.done);
    },

    /** Tells every open page to fetch the list again. */
    async announce(): Promise<void> {
      publish(await all());
    },

    add: (newTitle: string) =>
      change(async (todos) => {
        const added: Todo = {
          id: randomUUID().slice(0, 8),
          title: newTitle,
          done: false,
          createdAt: new Date().toISOString(),
        };
        await write([...todos, added]);
        return added;
      }),

    /** The changed todo; undefined when there is none with this id. */
    setDone: (id: string, done: boolean) =>
      change(async (todos) => {
        const changed = todos.find((todo) => todo.id === id);
        if (!changed) {
          return undefined;
        }
        changed.done = done;
        await write(todos);
        return changed;
      }),

    /** False when there is no todo with this id. */
    remove: (id: string) =>
      change(async (todos) => {
        const rest = todos.filter((todo) => todo.id !== id);
        if (rest.length === todos.length) {
          return false;
        }
        await write(rest);
        return true;
      }),
  };
}

// For the page: POST /api/v1/plugins/<id>/rpc/<method>.

function createHandlers(todos: Todos): PluginRpcHandlers<typeof rpcContract> {
  return {
    todos_list: async () => ({ todos: await todos.list() }),
    todos_add: (input) => todos.add(input.title),
    todos_set_done: async ({ id, done }) => {
      const changed = await todos.setDone(id, done);
      if (!changed) {
        throw new Error(`No todo ${id}.`);
      }
      return changed;
    },
    todos_remove: async ({ id }) => ({ removed: await todos.remove(id) }),
  };
}

// For people and agents: `svc <id> …`. A command added here also needs a line in skills/{{skill}}/SKILL.md.

function formatTodo(todo: Todo): string {
  return `[${todo.done ? "x" : " "}] ${todo.id}  ${todo.title}`;
}

function registerCommand(svc: SvcPluginApi, todos: Todos): void {
  const command = `svc ${svc.pluginId}`;
  const commands = [
    { name: "list", summary: "List the todos", usage: `${command} list [--json]` },
    { name: "add", summary: "Add a todo", usage: `${command} add <title…> [--json]` },
    { name: "done", summary: "Mark a todo as done", usage: `${command} done <id> [--json]` },
    { name: "undo", summary: "Mark a todo as not done", usage: `${command} undo <id> [--json]` },
    { name: "remove", summary: "Remove a todo", usage: `${command} remove <id> [--json]` },
  ];
  const width = Math.max(...commands.map(({ usage }) => usage.length));
  const usage = ["Usage:", ...commands.map((entry) => `  ${entry.usage.padEnd(width)}  ${entry.summary}`)].join("\n");

  const usageError: PluginCliResult = { exitCode: 1, stderr: usage };
  const unknownId = (id: string): PluginCliResult => ({
    exitCode: 1,
    stderr: `No todo ${id}. Run "${command} list" to see ids.`,
  });

  async function run(argv: string[]): Promise<PluginCliResult> {
    const json = argv.includes("--json");
    const [name, ...rest] = argv.filter((argument) => argument !== "--json");
    const answer = (text: string, value: unknown): PluginCliResult => ({
      exitCode: 0,
      stdout: json ? JSON.stringify(value) : text,
    });

    switch (name) {
      case undefined:
      case "help":
      case "--help":
        return { exitCode: 0, stdout: usage };

      case "list": {
        const list = await todos.list();
        return answer(list.length === 0 ? "No todos." : list.map(formatTodo).join("\n"), list);
      }

      case "add": {
        const text = rest.join(" ");
        if (text.trim() === "") {
          return usageError;
        }
        const parsed = title.safeParse(text);
        if (!parsed.success) {
          return { exitCode: 1, stderr: parsed.error.issues.map((issue) => issue.message).join("\n") };
        }
        const added = await todos.add(parsed.data);
        return answer(`Added ${formatTodo(added)}`, added);
      }

      case "done":
      case "undo": {
        const [id, ...more] = rest;
        if (id === undefined || more.length > 0) {
          return usageError;
        }
        const changed = await todos.setDone(id, name === "done");
        return changed ? answer(formatTodo(changed), changed) : unknownId(id);
      }

      case "remove": {
        const [id, ...more] = rest;
        if (id === undefined || more.length > 0) {
          return usageError;
        }
        return (await todos.remove(id)) ? answer(`Removed ${id}`, { removed: true, id }) : unknownId(id);
      }

      default:
        return usageError;
    }
  }

  svc.cli.register({ name: svc.pluginId, summary: "Keep a todo list", commands, run });
}
