// The app entry: the page in the app window. React and the SDK are supplied by the window; from ./server only types may be imported.
import { definePluginApp, useRealtime, useRealtimeConnectionState, useRpc } from "@get-svc/plugin-sdk/app";
import { type FormEvent, useCallback, useEffect, useRef, useState } from "react";

import type { rpcContract, Todo } from "./server";

export default definePluginApp((app) => {
  app.slots.navPanel({ id: "todos", title: "Todos", icon: "ListTodo", path: "todos", component: TodosPage });
});

function TodosPage() {
  const { todos, error, add, setDone, remove } = useTodos();
  const heading = useRef<HTMLHeadingElement>(null);
  const done = todos?.filter((todo) => todo.done).length ?? 0;

  async function removeAndRefocus(id: string) {
    if (await remove(id)) {
      // The button that had the focus is gone.
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
          <p role="alert" className="rounded-md bg-surface-destructive px-3 py-2 text-sm text-destructive-text">
            {error}
          </p>
        )}
        {todos === undefined ? (
          error === undefined && <p className="text-sm text-muted-foreground">Loading…</p>
        ) : todos.length === 0 ? (
          <p className="py-12 text-center text-sm text-muted-foreground">Nothing to do. Add the first todo above.</p>
        ) : (
          <ul aria-label="Todos" className="divide-y divide-border rounded-lg border border-border bg-card">
            {todos.map((todo) => (
              <li key={todo.id} className="flex items-center gap-2 px-3 py-2">
                <label className="flex min-w-0 flex-1 cursor-pointer items-center gap-3 py-1 text-sm">
                  <input
                    type="checkbox"
                    className="size-6 shrink-0 accent-primary"
                    checked={todo.done}
                    onChange={(event) => void setDone(todo.id, event.target.checked)}
                  />
                  <span className={todo.done ? "wrap-anywhere text-muted-foreground line-through" : "wrap-anywhere"}>{todo.title}</span>
                </label>
                <button
                  type="button"
                  aria-label={`Remove ${todo.title}`}
                  className="min-h-8 rounded-md px-2 text-sm text-muted-foreground hover:bg-state-hover hover:text-foreground"
                  onClick={() => void removeAndRefocus(todo.id)}
                >
                  Remove
                </button>
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}

function AddTodo({ onAdd }: { onAdd(title: string): Promise<boolean> }) {
  const [title, setTitle] = useState("");
  const [pending, setPending] = useState(false);

  async function submit(event: FormEvent) {
    event.preventDefault();
    // A second submit before the first is answered would add the todo twice.
    if (pending || title.trim() === "") {
      return;
    }
    setPending(true);
    if (await onAdd(title)) {
      setTitle("");
    }
    setPending(false);
  }

  return (
    <form className="flex gap-2" aria-busy={pending} onSubmit={(event) => void submit(event)}>
      <input
        aria-label="New todo"
        placeholder="What needs doing?"
        maxLength={200}
        autoComplete="off"
        className="min-w-0 flex-1 rounded-md border border-input bg-background px-3 py-2 text-sm"
        value={title}
        readOnly={pending}
        onChange={(event) => setTitle(event.target.value)}
      />
      <button
        type="submit"
        className="rounded-md bg-primary px-4 py-2 text-sm font-medium text-primary-foreground disabled:opacity-50"
        disabled={pending || title.trim() === ""}
      >
        Add
      </button>
    </form>
  );
}

/** The list: fetched on mount, on each `todos-changed` signal and after each reconnect. */
function useTodos() {
  const rpc = useRpc<typeof rpcContract>();
  const [todos, setTodos] = useState<Todo[]>();
  const [error, setError] = useState<string>();
  const lastFetch = useRef(0);

  const fetchTodos = useCallback(async () => {
    // Answers may arrive in another order; only the one to the latest question counts.
    const fetch = ++lastFetch.current;
    const result = await rpc.call("todos_list").then(
      (value) => ({ todos: value.todos, error: undefined }),
      (failure: Error) => ({ todos: undefined, error: failure.message }),
    );
    if (fetch === lastFetch.current) {
      setError(result.error);
      if (result.todos !== undefined) {
        setTodos(result.todos);
      }
    }
  }, [rpc]);

  const forgetFetches = useCallback(() => void lastFetch.current++, []);
  useEffect(() => {
    void fetchTodos();
    return forgetFetches;
  }, [fetchTodos, forgetFetches]);

  // What is written follows with a signal; signals sent while the connection was lost do not come later.
  const connection = useRealtimeConnectionState();
  const lost = useRef(false);
  useEffect(() => {
    if (connection === "connected" && lost.current) {
      void fetchTodos();
    }
    lost.current = connection === "reconnecting";
  }, [connection, fetchTodos]);
  useRealtime("todos-changed", () => void fetchTodos());

  async function write(call: Promise<unknown>): Promise<boolean> {
    const failure = await call.then(
      () => undefined,
      (error: Error) => error.message,
    );
    setError(failure);
    return failure === undefined;
  }

  return {
    /** Undefined until the first list arrived. */
    todos,
    error,
    add: (title: string) => write(rpc.call("todos_add", { title })),
    setDone: (id: string, done: boolean) => write(rpc.call("todos_set_done", { id, done })),
    remove: (id: string) => write(rpc.call("todos_remove", { id })),
  };
}
