// The app entry: the page in the app window. React, the SDK and the other packages of the window are supplied at run time.
// From ./server only types may be imported.
import { definePluginApp, definePluginHooks } from "@get-svc/plugin-sdk/app";
import ListTodo from "lucide-react/icons/list-todo";
import Trash2 from "lucide-react/icons/trash-2";
import { type FormEvent, useId, useRef, useState } from "react";

import { Button } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { Checkbox } from "@/components/ui/checkbox";
import { Icon } from "@/components/ui/icon";
import { Input } from "@/components/ui/input";
import { cn } from "@/lib/utils";

import type { Todo, Types } from "./server";

// Methods, their inputs and results, settings and signals are those of the server entry: what does not fit is an error of types.
const { useRpc, useRpcQuery } = definePluginHooks<Types>();

export default definePluginApp((app) => {
  app.slots.navPanel({
    id: "todos",
    title: "{{title}}",
    icon: "ListTodo",
    path: "todos",
    component: TodosPage,
  });
});

function TodosPage() {
  const { todos, error, add, setDone, remove } = useTodos();
  const done = todos?.filter((todo) => todo.done).length ?? 0;
  const heading = useRef<HTMLHeadingElement>(null);

  async function removeAndRefocus(id: string) {
    if (await remove(id)) {
      // The button that had the focus is about to go.
      heading.current?.focus();
    }
  }

  return (
    <div className="h-full overflow-y-auto bg-background text-foreground">
      <div className="mx-auto flex w-full max-w-2xl flex-col gap-6 px-4 py-8 sm:px-6">
        <header className="flex items-baseline justify-between gap-4">
          <h2 ref={heading} tabIndex={-1} className="text-lg font-semibold outline-hidden">
            Todos
          </h2>
          <p role="status" className="text-sm text-muted-foreground tabular-nums">
            {todos !== undefined && todos.length > 0 && `${done} of ${todos.length} done`}
          </p>
        </header>

        <AddTodo onAdd={add} />

        {error !== undefined && (
          <p
            role="alert"
            className="rounded-md border border-surface-destructive-border bg-surface-destructive px-3 py-2 text-sm text-destructive-text"
          >
            {error}
          </p>
        )}

        {todos === undefined ? (
          error === undefined && <p className="text-sm text-muted-foreground">Loading…</p>
        ) : todos.length === 0 ? (
          <Empty />
        ) : (
          <Card>
            <ul aria-label="Todos" className="divide-y divide-border">
              {todos.map((todo) => (
                <TodoRow key={todo.id} todo={todo} onSetDone={setDone} onRemove={removeAndRefocus} />
              ))}
            </ul>
          </Card>
        )}
      </div>
    </div>
  );
}

function AddTodo({ onAdd }: { onAdd(title: string): Promise<boolean> }) {
  const [title, setTitle] = useState("");
  const [pending, setPending] = useState(false);
  const input = useRef<HTMLInputElement>(null);

  async function submit(event: FormEvent) {
    event.preventDefault();
    // The lock: a second submit before the first one is answered would add the todo twice.
    if (pending || title.trim() === "") {
      return;
    }
    setPending(true);
    if (await onAdd(title)) {
      setTitle("");
    }
    setPending(false);
    input.current?.focus();
  }

  return (
    <form onSubmit={(event) => void submit(event)} className="flex gap-2" aria-busy={pending}>
      <Input
        ref={input}
        aria-label="New todo"
        placeholder="What needs doing?"
        maxLength={200}
        autoComplete="off"
        value={title}
        readOnly={pending}
        onChange={(event) => setTitle(event.target.value)}
      />
      <Button type="submit" disabled={pending || title.trim() === ""}>
        Add
      </Button>
    </form>
  );
}

interface TodoRowProps {
  todo: Todo;
  onSetDone(id: string, done: boolean): Promise<boolean>;
  onRemove(id: string): Promise<void>;
}

function TodoRow({ todo, onSetDone, onRemove }: TodoRowProps) {
  const id = useId();
  return (
    <li className="flex items-center gap-2 py-2 pr-2 pl-3">
      <Checkbox id={id} checked={todo.done} onCheckedChange={(checked) => void onSetDone(todo.id, checked === true)} />
      <label
        htmlFor={id}
        className={cn("min-w-0 flex-1 cursor-pointer py-1 text-sm wrap-anywhere", todo.done && "text-muted-foreground line-through")}
      >
        {todo.title}
      </label>
      <Button variant="ghost" size="icon" aria-label={`Remove ${todo.title}`} onClick={() => void onRemove(todo.id)}>
        <Icon icon={Trash2} />
      </Button>
    </li>
  );
}

function Empty() {
  return (
    <div className="flex flex-col items-center gap-2 rounded-lg border border-dashed border-border px-4 py-12 text-center">
      <Icon icon={ListTodo} className="size-6 text-subtle-foreground" />
      <p className="text-sm font-medium">Nothing to do</p>
      <p className="text-sm text-muted-foreground">Add the first todo above, or ask an agent to.</p>
    </div>
  );
}

/** The list: fetched on mount, on each `todos-changed` signal and after each reconnect. */
function useTodos() {
  const rpc = useRpc();
  const { data, error } = useRpcQuery("todos_list", null, { on: ["todos-changed"] });
  const [failure, setFailure] = useState<string>();

  // The list itself follows with the signal that every write sends.
  async function write(call: Promise<unknown>): Promise<boolean> {
    try {
      await call;
      setFailure(undefined);
      return true;
    } catch (reason) {
      setFailure(messageOf(reason));
      return false;
    }
  }

  return {
    /** Undefined until the first list arrived. */
    todos: data?.todos,
    error: failure ?? error?.message,
    add: (title: string) => write(rpc.call("todos_add", { title })),
    setDone: (id: string, done: boolean) => write(rpc.call("todos_set_done", { id, done })),
    remove: (id: string) => write(rpc.call("todos_remove", { id })),
  };
}

function messageOf(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}
