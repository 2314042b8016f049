import { randomUUID } from "node:crypto";

import { defineRpcContract } from "@get-svc/plugin-sdk";
import type { PluginCliResult, PluginRpcHandlers, SvcPluginApi } from "@get-svc/plugin-sdk";
import { z } from "zod";

const title = z.string().trim().min(1, "A todo needs a title.").max(200, "A title has at most 200 characters.");

export const todoSchema = z.object({
  id: z.string(),
  title,
  done: z.boolean(),
  createdAt: z.string(),
});
export type Todo = z.infer<typeof todoSchema>;

export const rpcContract = defineRpcContract({
  todos_list: { input: z.null(), output: z.object({ todos: z.array(todoSchema) }) },
  todos_add: { input: z.object({ title }), output: todoSchema },
  todos_set_done: { input: z.object({ id: z.string(), done: z.boolean() }), output: todoSchema },
  todos_remove: { input: z.object({ id: z.string() }), output: z.object({ removed: z.boolean() }) },
});

export default function todo(svc: SvcPluginApi): void {
  const todos = createTodos(svc);
  svc.rpc.register(rpcContract, createHandlers(todos));
  registerCli(svc, todos);
  registerTools(svc, todos);
  svc.onDispose(() => svc.log.debug("todo stopped"));
}

// The list: one JSON value under one key, the same for every channel.

type Todos = ReturnType<typeof createTodos>;

function createTodos(svc: SvcPluginApi) {
  let last: Promise<unknown> = Promise.resolve();

  async function read(): Promise<Todo[]> {
    return (await svc.storage.kv.get<Todo[]>("todos")) ?? [];
  }

  async function write(list: Todo[]): Promise<void> {
    await svc.storage.kv.set("todos", list);
    svc.realtime.publish("todos-changed", { count: list.length });
  }

  // Changes run one after another: each reads the whole list and writes it back, so two at once would lose one.
  function change<T>(step: (list: Todo[]) => Promise<T>): Promise<T> {
    const result = last.then(async () => step(await read()));
    last = result.catch(() => undefined);
    return result;
  }

  return {
    list: read,

    add: (newTitle: string) =>
      change(async (list) => {
        const added: Todo = {
          id: randomUUID().slice(0, 8),
          title: newTitle,
          done: false,
          createdAt: new Date().toISOString(),
        };
        await write([...list, added]);
        return added;
      }),

    /** The changed todo; undefined when there is none with this id. */
    setDone: (id: string, done: boolean) =>
      change(async (list) => {
        const changed = list.find((todo) => todo.id === id);
        if (!changed) {
          return undefined;
        }
        changed.done = done;
        await write(list);
        return changed;
      }),

    /** False when there is no todo with this id. */
    remove: (id: string) =>
      change(async (list) => {
        const rest = list.filter((todo) => todo.id !== id);
        if (rest.length === list.length) {
          return false;
        }
        await write(rest);
        return true;
      }),
  };
}

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

// The command: `svc todo …`.

function formatTodo(todo: Todo): string {
  return `[${todo.done ? "x" : " "}] ${todo.id}  ${todo.title}`;
}

function formatTodos(list: Todo[]): string {
  return list.length === 0 ? "No todos." : list.map(formatTodo).join("\n");
}

function registerCli(svc: SvcPluginApi, todos: Todos): void {
  const command = `svc ${svc.pluginId}`;
  const commands = [
    { name: "list", summary: "List all todos", usage: `${command} list [--json]` },
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
        return answer(formatTodos(list), list);
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

// The tools: what agents call by name.

function registerTools(svc: SvcPluginApi, todos: Todos): void {
  svc.agents.registerTool({
    name: "todo_add",
    description: "Adds a todo to the user's list, which the user sees at once.",
    parameters: z.object({ title }),
    instructions: "Look at todo_list before you add a todo: it may be there already.",
    presentation: { label: { pending: "Adding a todo", completed: "Added a todo" }, icon: { glyph: "ListTodo" } },
    execute: async ({ title: newTitle }) => `Added ${formatTodo(await todos.add(newTitle))}`,
  });
  svc.agents.registerTool({
    name: "todo_list",
    description: "Lists all todos of the user, one per line: whether it is done, its id, its title.",
    parameters: z.object({}),
    execute: async () => formatTodos(await todos.list()),
  });
}
