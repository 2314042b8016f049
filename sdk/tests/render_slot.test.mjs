import "./support/dom.mjs";

import assert from "node:assert/strict";
import { afterEach, mock, test } from "node:test";

import * as sdk from "@get-svc/plugin-sdk/app";
import { Icon } from "@get-svc/plugin-sdk/icon";
import { installTestPluginRuntime, loadPluginApp, renderSlot } from "@get-svc/plugin-sdk/testing/app";
import { act, cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { createElement } from "react";
import { toast } from "sonner";

afterEach(() => {
  cleanup();
  mock.restoreAll();
});

/** Renders a component that calls `use` and returns the slot with what it returned last. */
function renderHook(use, options) {
  const result = { renders: 0 };
  const component = () => {
    result.current = use();
    result.renders++;
    return null;
  };
  return Object.assign(renderSlot({ component }, {}, options), { result });
}

test("a slot is rendered with its props, and again with others", () => {
  const component = ({ subPath }) => createElement("p", null, `at ${subPath}`);
  const slot = renderSlot({ component }, { subPath: "a" });
  assert.equal(slot.container.textContent, "at a");
  slot.lifecycle.rerender({ subPath: "b" });
  assert.equal(slot.container.textContent, "at b");
  slot.lifecycle.unmount();
  assert.equal(slot.container.textContent, "");
});

test("the runtime has every export, so that a bundle finds them all", () => {
  installTestPluginRuntime();
  const { pluginSdkApp, sharedUiIcon } = globalThis.__svcPluginRuntime;
  assert.deepEqual(Object.keys(pluginSdkApp).sort(), Object.keys(sdk).sort());
  assert.deepEqual(Object.keys(sharedUiIcon), ["Icon", "default"]);
});

test("a hook outside of a mount says so", () => {
  installTestPluginRuntime();
  mock.method(console, "error", () => undefined);
  for (const hook of [
    "useRpc",
    "useSettings",
    "useSvcNavigate",
    "useComposer",
    "useRealtimeConnectionState",
    "experimental_useSidebarThreads",
  ]) {
    assert.throws(
      () => render(createElement(() => sdk[hook]())),
      (error) => error.message.startsWith(`${hook} was called outside of a plugin mount`),
    );
  }
});

test("calls reach the fake of their method as JSON, and are recorded", async () => {
  const seen = [];
  const { result, rpcCalls } = renderHook(sdk.useRpc, {
    rpc: { add: async (input) => (seen.push(input), { id: 1, gone: undefined }), none: (input) => (seen.push(input), undefined) },
  });
  const input = { title: "a", gone: undefined };
  assert.deepEqual(await result.current.call("add", input), { id: 1 });
  assert.equal(await result.current.call("none"), null);
  assert.deepEqual(seen, [{ title: "a" }, null]);
  assert.notEqual(seen[0], input);
  assert.deepEqual(rpcCalls, [
    { method: "add", input: { title: "a" } },
    { method: "none", input: null },
  ]);
});

test("the client is the same object on each render", () => {
  const slot = renderHook(sdk.useRpc);
  const { current } = slot.result;
  slot.rerender({});
  assert.equal(slot.result.renders, 2);
  assert.equal(slot.result.current, current);
});

test("a call fails as it would in the window", async () => {
  const { result } = renderHook(sdk.useRpc, {
    rpc: {
      broken: () => {
        throw Object.assign(new Error("out of order"), { code: "E_ORDER", retryable: true });
      },
      passedOn: () => {
        throw Object.assign(new Error("count is no number"), { code: "invalid_output", issues: [{ message: "no number" }] });
      },
      date: () => ({ when: new Date(0) }),
    },
  });
  const { call } = result.current;
  await assert.rejects(call("unknown"), { name: "PluginRpcError", code: "unknown_method", status: 404, requestId: "test" });
  await assert.rejects(call("broken"), {
    name: "PluginRpcError",
    code: "handler_error",
    status: 500,
    message: "out of order",
    details: { code: "E_ORDER", retryable: true, pluginId: "test-plugin" },
  });
  await assert.rejects(call("passedOn"), { code: "invalid_output", status: 500, issues: [{ message: "no number" }] });
  await assert.rejects(call("date"), { code: "non_json_result", message: /result.when is an instance of Date, not a plain object/ });
});

test("an input that is not JSON is refused with its path, before anything is sent", async () => {
  const { result, rpcCalls } = renderHook(sdk.useRpc, { rpc: { m: () => null } });
  const cyclic = { a: {} };
  cyclic.a.b = cyclic;
  const cases = [
    [{ items: [1, NaN] }, "$input.items[1] is NaN, which JSON cannot hold"],
    [{ "a b": undefined, "c d": 1n }, '$input["c d"] is a bigint, which JSON cannot hold'],
    [[undefined], "$input[0] is undefined, which JSON cannot hold"],
    [new Map(), "$input is an instance of Map, not a plain object"],
    [cyclic, "$input.a.b contains itself"],
    [{ [Symbol("s")]: 1 }, "$input has the key Symbol(s), and JSON has no symbols"],
    [() => undefined, "$input is a function, which JSON cannot hold"],
    [JSON.parse("[".repeat(200) + "]".repeat(200)), /is nested deeper than 128 levels/],
  ];
  for (const [input, message] of cases) {
    await assert.rejects(result.current.call("m", input), (error) => {
      assert.equal(error.code, "invalid_input");
      typeof message === "string" ? assert.equal(error.message, `m: ${message}`) : assert.match(error.message, message);
      return true;
    });
  }
  assert.deepEqual(rpcCalls, []);
});

test("a call ends with its signal and with its time", async () => {
  const { result } = renderHook(sdk.useRpc, { rpc: { never: () => new Promise(() => undefined) } });
  const controller = new AbortController();
  const aborted = result.current.call("never", null, { signal: controller.signal });
  controller.abort();
  await assert.rejects(aborted, { name: "AbortError" });
  await assert.rejects(result.current.call("never", null, { signal: controller.signal }), { name: "AbortError" });

  mock.timers.enable({ apis: ["setTimeout"] });
  const standard = assert.rejects(result.current.call("never"), { code: "timeout", message: "never: no answer within 75000 ms" });
  const own = assert.rejects(result.current.call("never", null, { timeoutMs: 10 }), {
    code: "timeout",
    message: "never: no answer within 10 ms",
  });
  mock.timers.tick(10);
  await own;
  mock.timers.tick(75_000);
  await standard;
  mock.timers.reset();
});

test("signals reach the latest handler of their channel", () => {
  const heard = [];
  const component = ({ name }) => {
    sdk.useRealtime("changed", (payload) => heard.push([name, payload]));
    return null;
  };
  const slot = renderSlot({ component }, { name: "first" });
  slot.emitRealtime("changed", { count: 1 });
  slot.rerender({ name: "second" });
  slot.behavior.emitRealtime("changed", { count: 2 });
  slot.emitRealtime("other", 3);
  slot.unmount();
  slot.emitRealtime("changed", { count: 4 });
  assert.deepEqual(heard, [
    ["first", { count: 1 }],
    ["second", { count: 2 }],
  ]);
});

test("a throw in a signal handler is logged and stops nobody", () => {
  const log = mock.method(console, "error", () => undefined);
  const heard = [];
  const slot = renderHook(() => {
    sdk.useRealtime("changed", () => {
      throw new Error("bad");
    });
    sdk.useRealtime("changed", (payload) => heard.push(payload));
  });
  slot.emitRealtime("changed", 1);
  assert.deepEqual(heard, [1]);
  assert.equal(log.mock.callCount(), 1);
  assert.throws(() => slot.emitRealtime("changed", undefined), /emitRealtime\("changed"\): \$payload is undefined/);
});

test("connection, settings and context are what the test says", () => {
  const slot = renderHook(
    () => [sdk.useRealtimeConnectionState(), sdk.useSettings(), sdk.useSvcContext(), sdk.experimental_usePluginId()],
    { settings: { showDone: true }, context: { threadId: "thr_1" }, pluginId: "todo" },
  );
  assert.deepEqual(slot.result.current, [
    "connected",
    { values: { showDone: true }, isLoading: false },
    { projectId: null, threadId: "thr_1" },
    "todo",
  ]);
  slot.behavior.setRealtimeConnectionState("reconnecting");
  slot.behavior.setSettings({ showDone: false });
  assert.deepEqual(slot.result.current.slice(0, 2), ["reconnecting", { values: { showDone: false }, isLoading: false }]);
});

test("navigation is recorded by name", () => {
  const { result, inspection } = renderHook(sdk.useSvcNavigate);
  const navigate = result.current;
  mock.method(console, "warn", () => undefined);
  navigate.toThread("thr_1");
  navigate.toProject("proj_1");
  navigate.toPluginPanel("todos", { subPath: "a" });
  navigate.toCompose({ initialPrompt: "hi" });
  assert.equal(navigate.openThreadPanel({ actionId: "a", params: { n: 1 } }), true);
  assert.equal(navigate.openThreadPanel({ actionId: "a", params: new Date() }), false);
  assert.equal(navigate.experimental_openThreadPanel({ actionId: "a" }), true);
  assert.equal(navigate.openUrl("https://example.org"), true);
  assert.equal(navigate.openUrl("javascript:alert(1)"), false);
  assert.equal(navigate.experimental_openTerminal(), false);
  assert.deepEqual(inspection.navigateCalls.slice(0, 4), [
    { method: "toThread", threadId: "thr_1" },
    { method: "toProject", projectId: "proj_1" },
    { method: "toPluginPanel", path: "todos", options: { subPath: "a" } },
    { method: "toCompose", options: { initialPrompt: "hi" } },
  ]);
  assert.equal(inspection.navigateCalls.length, 9);
});

test("the composer can be read, written and watched", async () => {
  const slot = renderHook(() => [sdk.useComposer(), sdk.useComposerView(), sdk.useComposers()], {
    composer: { text: "draft", attachmentCount: 2 },
    context: { threadId: "thr_1", projectId: "proj_1" },
  });
  const composer = () => slot.result.current[0];
  assert.deepEqual(composer().scope, { kind: "thread", threadId: "thr_1", projectId: "proj_1" });
  assert.deepEqual([composer().text, composer().isEmpty, composer().attachmentCount], ["draft", false, 2]);
  assert.deepEqual(slot.result.current[1].draft, { text: "draft", isEmpty: false, attachmentCount: 2 });
  assert.equal(slot.result.current[2].length, 1);

  act(() => {
    composer().setText("a ");
    composer().updateText((text) => `${text}b `);
    composer().insertMention({ provider: "items", id: "1", label: "milk" });
    composer().focus();
    composer().setInputLock(true);
    composer().setTextEffect({ className: "glow" });
  });
  assert.equal(composer().text, "a b @milk");
  const { inspection } = slot;
  assert.deepEqual(inspection.composer, {
    text: "a b @milk",
    mentions: [{ provider: "items", id: "1", label: "milk", start: 4, end: 9 }],
    attachmentCount: 2,
    focusCount: 1,
    inputLocked: true,
    textEffect: { className: "glow" },
    textEffectCalls: [{ className: "glow" }],
    threadRowStatus: {},
  });

  act(() => {
    composer().setText("hey");
    composer().addQuote("quoted");
    composer().addQuote(" ");
  });
  assert.equal(composer().text, "hey\n> quoted\n\n");

  assert.throws(() => composer().experimental_setPluginInput(new Date()), {
    name: "TypeError",
    message: /^experimental_setPluginInput: \$value/,
  });
  const milk = { type: "mention", provider: "items", id: "1", label: "milk" };
  act(() => {
    composer().replace([{ type: "text", text: "as " }, { type: "quote", text: "said" }, milk]);
    composer().insert("First", { at: "start", block: true });
  });
  assert.equal(composer().text, "First\nas \n> said\n\n@milk");
  assert.deepEqual(composer().draft.mentions, [{ provider: "items", id: "1", label: "milk", start: 18, end: 23 }]);
  act(() => {
    composer().setText(composer().text.replace("First", "1"));
  });
  assert.deepEqual(composer().draft.mentions, [{ provider: "items", id: "1", label: "milk", start: 14, end: 19 }]);

  let submitted = 0;
  composer().onSubmitted(() => submitted++);
  assert.equal(await act(() => composer().submit()), true);
  assert.equal(submitted, 1);
  assert.equal(composer().isEmpty, true);
  assert.equal(await act(() => composer().submit()), false);

  slot.behavior.setComposerText("from outside");
  slot.behavior.setComposerScope({ kind: "new-thread", projectId: null });
  assert.deepEqual([composer().text, composer().scope.kind], ["from outside", "new-thread"]);
  act(() => {
    composer().replace([
      { type: "quote", text: "one\ntwo" },
      { type: "text", text: "answer" },
    ]);
  });
  assert.equal(composer().text, "> one\n> two\n\nanswer");
  const { setText, submit, setThreadRowStatus } = composer();
  act(() => {
    setThreadRowStatus("busy");
    setText("again");
  });
  assert.equal(composer().setText, setText, "methods keep their identity");
  assert.equal(composer().submit, submit);

  slot.unmount();
  assert.deepEqual([inspection.composer.inputLocked, inspection.composer.textEffect], [false, null]);
});

test("a query fetches, shows failures, and fetches again with signals and reconnects", async () => {
  let answer = () => 1;
  const slot = renderHook(
    () =>
      sdk.experimental_useRpcQuery({
        method: "count",
        input: { a: 1 },
        realtime: [{ channel: "changed", affects: (payload) => payload !== "other" }],
      }),
    { rpc: { count: () => answer() } },
  );
  const { result, rpcCalls } = slot;
  const { refetch } = result.current;
  assert.deepEqual([result.current.isLoading, result.current.data], [true, undefined]);
  await waitFor(() => assert.equal(result.current.data, 1));
  assert.deepEqual([result.current.isLoading, result.current.isFetching, result.current.error], [false, false, null]);

  answer = () => 2;
  slot.emitRealtime("changed", "other");
  slot.emitRealtime("changed", "mine");
  slot.emitRealtime("changed", "mine");
  await waitFor(() => assert.equal(result.current.data, 2));
  assert.equal(rpcCalls.length, 2);

  answer = () => {
    throw new Error("broken");
  };
  await act(() => result.current.refetch());
  assert.deepEqual([result.current.data, result.current.error.message], [2, "broken"]);

  answer = () => 4;
  slot.behavior.setRealtimeConnectionState("reconnecting");
  slot.behavior.setRealtimeConnectionState("connected");
  await waitFor(() => assert.equal(result.current.data, 4));
  assert.equal(result.current.error, null);
  assert.equal(result.current.refetch, refetch);
});

test("a fake that throws issues is a schema that refuses", async () => {
  const issues = [{ message: "Too small.", path: ["amount"] }];
  const { result } = renderHook(() => sdk.useRpc(), { rpc: { add: () => Promise.reject(Object.assign(new Error("no"), { issues })) } });
  const refused = await result.current.call("add").catch((failure) => failure);
  assert.deepEqual([refused.name, refused.code, refused.status, refused.issues], ["PluginRpcError", "invalid_input", 400, issues]);
});

test("the hooks with types are those of the window", async () => {
  const { useRpc, useRpcQuery, useSettings, useSignal } = sdk.definePluginHooks();
  let answer = 1;
  const heard = [];
  const slot = renderHook(
    () => {
      useSignal("told", (payload) => heard.push(payload));
      const signals = ["changed", { channel: "filtered", affects: (payload) => payload === "mine" }];
      return [useRpcQuery("count", { a: 1 }, { on: signals, staleTime: 0 }), useSettings(), useRpc(), useRpcQuery("none")];
    },
    { rpc: { count: () => answer, none: () => 0 }, settings: { view: "list" } },
  );
  const query = () => slot.result.current[0];
  await waitFor(() => assert.equal(query().data, 1));
  assert.deepEqual(slot.result.current[1].values, { view: "list" });
  assert.equal(await slot.result.current[2].call("count"), 1);
  assert.deepEqual(slot.rpcCalls.slice(0, 2), [
    { method: "count", input: { a: 1 } },
    { method: "none", input: null },
  ]);

  answer = 2;
  slot.emitRealtime("changed", null);
  await waitFor(() => assert.equal(query().data, 2));
  answer = 3;
  slot.emitRealtime("filtered", "other");
  slot.emitRealtime("told", 7);
  slot.emitRealtime("filtered", "mine");
  await waitFor(() => assert.equal(query().data, 3));
  assert.deepEqual(heard, [7]);
  assert.equal(slot.rpcCalls.length, 5);
});

test("a query that is off does not fetch, and another input is another query", async () => {
  const component = ({ id, enabled }) => {
    const { data, isFetching } = sdk.experimental_useRpcQuery({ method: "get", input: id, enabled });
    return createElement("p", null, `${data} ${isFetching}`);
  };
  const slot = renderSlot({ component }, { id: 1, enabled: false }, { rpc: { get: (id) => `item ${id}` } });
  assert.equal(slot.container.textContent, "undefined false");
  assert.deepEqual(slot.rpcCalls, []);
  slot.rerender({ id: 1, enabled: true });
  await screen.findByText("item 1 false");
  slot.rerender({ id: 2, enabled: true });
  assert.equal(slot.container.textContent, "undefined true");
  await screen.findByText("item 2 false");
});

test("an infinite query adds pages until the last", async () => {
  const { result } = renderHook(
    () => sdk.experimental_useRpcInfiniteQuery({ method: "page", input: (cursor) => ({ cursor }), getNextCursor: ({ next }) => next }),
    { rpc: { page: ({ cursor }) => ({ at: cursor ?? 0, next: (cursor ?? 0) < 2 ? (cursor ?? 0) + 1 : null }) } },
  );
  await waitFor(() => assert.equal(result.current.data?.length, 1));
  await act(() => result.current.fetchNextPage());
  await act(() => result.current.fetchNextPage());
  assert.deepEqual(
    result.current.data.map(({ at }) => at),
    [0, 1, 2],
  );
  assert.equal(result.current.hasNextPage, false);
  await act(() => result.current.refetch());
  assert.equal(result.current.data.length, 3);
});

test("the client of the service is what the test stubs", async () => {
  const { result } = renderHook(sdk.useSdk, { sdk: { threads: { get: async ({ threadId }) => ({ id: threadId }) } } });
  assert.deepEqual(await result.current.threads.get({ threadId: "thr_1" }), { id: "thr_1" });
  await assert.rejects(result.current.plugins.catalog.search(), { message: "svc.sdk.plugins.catalog.search is not stubbed" });
});

test("sidebar threads are given, and actions recorded", async () => {
  const thread = { id: "thr_1", title: null, titleFallback: "New thread" };
  const slot = renderHook(() => [sdk.experimental_useSidebarThreads(), sdk.experimental_useSidebarThreadActions()], {
    sidebarThreads: [thread],
  });
  assert.deepEqual(slot.result.current[0], { status: "ready", threads: [thread], projects: [] });
  slot.result.current[1].open("thr_1");
  await slot.result.current[1].rename("thr_1", "Mine");
  assert.deepEqual(slot.inspection.navigateCalls, [
    { method: "open", threadId: "thr_1", options: undefined },
    { method: "rename", threadId: "thr_1", title: "Mine" },
  ]);
});

test("hooks known by name only return nothing", () => {
  const { result } = renderHook(() => [
    sdk.experimental_useBranches(),
    sdk.useEnvironmentProviders(),
    sdk.experimental_useQuestionFormHost(),
  ]);
  assert.deepEqual(result.current, [{ isLoading: false, data: [] }, { isLoading: false, data: [] }, null]);
});

test("toasts are seen by the slot that was there", async () => {
  await loadPluginApp(async () => ({ default: sdk.definePluginApp(() => undefined) }));
  toast("before");
  const { inspection } = renderSlot({ component: () => null }, {});
  toast("plain");
  toast.error("failed", { description: "why" });
  assert.deepEqual(inspection.toasts, [
    { type: "default", title: "plain" },
    { type: "error", title: "failed", description: "why" },
  ]);
});

test("components stand in with their text and roles", () => {
  const onOpenChange = mock.fn();
  const onSubmit = mock.fn();
  const component = () =>
    createElement(
      "div",
      null,
      createElement(sdk.Markdown, { content: "**bold**" }),
      createElement(sdk.UrlLink, { href: "https://example.org", target: "_blank" }, "link"),
      createElement(sdk.experimental_Dialog, { open: true, onOpenChange, title: "Sure?" }, "body"),
      createElement(sdk.experimental_Dialog, { open: false, onOpenChange, title: "Closed" }),
      createElement(sdk.experimental_FileLink, { path: "a.ts", line: 3 }),
      createElement(sdk.ThreadTitle, { threadId: "thr_1" }),
      createElement(sdk.experimental_BranchPicker, {}),
      createElement(sdk.experimental_NewThreadComposer, { onSubmit, initialPrompt: "go" }),
      createElement(Icon, { name: "ListTodo", "aria-label": "list" }),
    );
  const { inspection } = renderSlot({ component }, {}, { sidebarThreads: [{ id: "thr_1", title: "Mine" }] });
  screen.getByText("**bold**");
  screen.getByText("Mine");
  assert.equal(screen.getByRole("link").getAttribute("rel"), "noopener noreferrer");
  fireEvent.keyDown(screen.getByRole("dialog", { name: "Sure?" }), { key: "Escape" });
  assert.deepEqual(onOpenChange.mock.calls[0].arguments, [false]);
  assert.equal(screen.queryByRole("dialog", { name: "Closed" }), null);
  fireEvent.click(screen.getByRole("button", { name: "a.ts" }));
  assert.deepEqual(inspection.navigateCalls, [
    { method: "experimental_openFilePreview", options: { target: { path: "a.ts", source: undefined }, location: { line: 3 } } },
  ]);
  fireEvent.click(screen.getByRole("button", { name: "Start" }));
  assert.deepEqual(onSubmit.mock.calls[0].arguments[0], {
    projectId: "proj_personal",
    providerId: "test",
    model: "default",
    reasoningLevel: "none",
    permissionMode: "auto",
    executionInputSources: {},
    environment: { type: "host", workspace: { type: "personal" } },
    input: [{ type: "text", text: "go" }],
  });
  assert.equal(screen.getByRole("img", { name: "list" }).getAttribute("data-icon"), "ListTodo");
});
