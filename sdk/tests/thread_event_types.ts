// Compiled, never run: an event of a thread's log by its type, and what is left for those of a newer service.
import type {
  FileChangeItem,
  PluginSdk,
  ThreadEvent,
  ThreadEventData,
  ThreadEventOf,
  ThreadEventType,
  ThreadItem,
  UnknownThreadEvent,
} from "@get-svc/plugin-sdk";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function expectType<_T extends true>(): void {}

/** A comparison tells the data, and that of an item its members. */
export function read(event: ThreadEvent): string {
  // @ts-expect-error not every event has an item
  void event.data.item;
  if (event.type === "item/completed") {
    expectType<Equal<typeof event.data, ThreadEventData["item/completed"]>>();
    const { item } = event.data;
    if (item.type === "fileChange") {
      expectType<Equal<typeof item, FileChangeItem>>();
      return item.changes.map(({ path }) => path).join();
    }
    return item.id;
  }
  switch (event.type) {
    case "turn/completed":
      return event.data.error?.message ?? event.data.status;
    case "client/turn/requested":
      return event.data.target.kind === "auto" ? String(event.data.target.expectedTurnId) : event.data.initiator;
    case "system/userQuestion/lifecycle":
      return event.data.payload.questions.map(({ prompt }) => prompt).join();
    case "system/permissionGrant/lifecycle":
      return event.data.subject.kind === "command" ? event.data.subject.command : event.data.status;
    // @ts-expect-error no such type
    case "turn/complete":
      return "";
    default:
      return "";
  }
}

/** So do names taken apart. */
export function readParts({ type, data }: ThreadEvent): string | undefined {
  return type === "client/turn/rejected" ? data.reason : type === "provider/error" ? data.errorInfo?.category : undefined;
}

/** What no known type is left of is unknown, and its data plain JSON. */
export function readUnknown(event: ThreadEvent): UnknownThreadEvent["data"] | undefined {
  const isOf = (type: string): boolean => event.type === type;
  return isOf("thread/of/tomorrow") ? (event as UnknownThreadEvent).data : undefined;
}
expectType<Equal<Exclude<ThreadEvent, { type: keyof ThreadEventData }>, UnknownThreadEvent>>();
expectType<Equal<Extract<ThreadItem, { type: "toolCall" }>["tool"], string>>();

// What is asked for by type comes with its type; by a name that is not known here, or that is only known at run time, with what can be said.
export async function list(threads: PluginSdk["threads"], types: string[]): Promise<void> {
  const ends = await threads.events.list({ threadId: "t", types: ["turn/completed"] });
  expectType<Equal<typeof ends, ThreadEventOf<"turn/completed">[]>>();
  const both = await threads.events.list({ threadId: "t", types: ["item/started", "turn/started"], limit: 1 });
  expectType<Equal<(typeof both)[number]["type"], "item/started" | "turn/started">>();
  const all = await threads.events.list({ threadId: "t" });
  expectType<Equal<typeof all, ThreadEvent[]>>();
  const some = await threads.events.list({ threadId: "t", types });
  expectType<Equal<typeof some, ThreadEvent[]>>();
  const future = await threads.events.list({ threadId: "t", types: ["thread/of/tomorrow"] });
  expectType<Equal<typeof future, UnknownThreadEvent[]>>();
  const next = await threads.events.wait({ threadId: "t", type: "thread/name/updated", waitMs: 0 });
  expectType<Equal<NonNullable<typeof next>["data"]["threadName"], string>>();
  const { event } = await threads.wait({ threadId: "t", event: "item/completed" });
  expectType<Equal<typeof event.data.item, ThreadItem>>();
}
expectType<Equal<ThreadEventOf<ThreadEventType>, ThreadEvent>>();
