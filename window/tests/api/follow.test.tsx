import { QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
import { act, cleanup, render } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { createFollower, type Follower, useFollow } from "@/api/follow";
import { createRealtime, type Realtime } from "@/api/realtime";

import { FakeSurroundings } from "./fake_surroundings";

let around: FakeSurroundings;
let realtime: Realtime;
let client: QueryClient;
let follower: Follower;
/** Questions in the order in which they were asked; each is answered by its `answer`. */
let asked: { signal: AbortSignal; answer(text: string): void }[];

beforeEach(() => {
  vi.useFakeTimers();
  around = new FakeSurroundings();
  realtime = createRealtime(around);
  realtime.start();
  around.socket.open();
  client = new QueryClient({ defaultOptions: { queries: { retry: false, networkMode: "always" } } });
  follower = createFollower({ kind: "thread-list" }, ["threads"], { realtime, client });
  asked = [];
});
afterEach(() => {
  cleanup();
  realtime.stop();
  vi.useRealTimers();
});

function List() {
  const { data } = useQuery({
    queryKey: ["threads"],
    staleTime: Infinity,
    queryFn: ({ signal }) => new Promise<string>((resolve) => asked.push({ signal, answer: resolve })),
  });
  useFollow(follower);
  return <li>{data ?? "nothing"}</li>;
}

function show(count: number) {
  return render(
    <QueryClientProvider client={client}>
      {Array.from({ length: count }, (_, index) => (
        <List key={index} />
      ))}
    </QueryClientProvider>,
  );
}

const settle = (ms = 2000) => act(() => vi.advanceTimersByTimeAsync(ms));
const changed = () => around.socket.receive({ type: "changed", entity: "thread", id: "t1", changes: ["title-changed"] });
const answer = async (index: number, text: string) => {
  asked[index]!.answer(text);
  await settle(0);
};

it("asks once for a change, however many show the collection", async () => {
  const { container } = show(5);
  await settle();
  await answer(0, "first");
  changed();
  await settle();
  expect(asked).toHaveLength(2);
  await answer(1, "second");
  expect(container.textContent).toBe("second".repeat(5));
});

it("lets an answer arrive although changes go on, and asks once more after it", async () => {
  const { container } = show(3);
  await settle();
  await answer(0, "first");
  for (let count = 0; count < 20; count += 1) {
    changed();
    await settle(300);
  }
  expect(asked).toHaveLength(2);
  expect(asked[1]!.signal.aborted).toBe(false);
  await answer(1, "second");
  expect(container.textContent).toContain("second");
  expect(asked).toHaveLength(3);
  await answer(2, "third");
  await settle();
  expect(container.textContent).toContain("third");
  expect(asked).toHaveLength(3);
});

it("asks again for what was asked before the change and answered after it", async () => {
  const { container } = show(1);
  await settle();
  changed();
  await settle();
  await answer(0, "old");
  expect(asked).toHaveLength(2);
  await answer(1, "new");
  expect(container.textContent).toBe("new");
});

it("stops when the last one goes", async () => {
  const first = show(1);
  const second = show(1);
  await settle();
  await answer(0, "first");
  first.unmount();
  changed();
  await settle();
  expect(asked).toHaveLength(2);
  await answer(1, "second");
  second.unmount();
  changed();
  await settle();
  expect(asked).toHaveLength(2);
});

it("does not ask for changes that are not of the collection", async () => {
  follower = createFollower({ kind: "thread-list" }, ["threads"], { realtime, client, isMine: (changes) => changes.includes("mine") });
  show(1);
  await answer(0, "one");
  await settle();
  const before = asked.length;
  changed();
  await settle();
  expect(asked).toHaveLength(before);
  around.socket.receive({ type: "changed", entity: "thread", id: "t1", changes: ["title-changed", "mine"] });
  await settle();
  expect(asked).toHaveLength(before + 1);
});
