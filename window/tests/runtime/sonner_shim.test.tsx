import { act, cleanup, render, screen } from "@testing-library/react";
import * as sonner from "sonner";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { publishPlugins } from "@/plugins/active";
import { diagnosticsNow } from "@/plugins/diagnostics";
import { pluginInStack } from "@/runtime/plugin_stack";
import { sonnerShim, textOfNode } from "@/runtime/sonner_shim";
import { clearNotifications, notificationsNow } from "@/lib/notifications";

const { toast, Toaster } = sonnerShim;

/** What the one toaster of the window was told to show. */
const shown = () => sonner.toast.getToasts().map((entry) => ("title" in entry ? entry.title : undefined));

/** Makes the call look as if the bundle of the plugin `todo` made it. */
function fromPlugin(say: () => unknown): void {
  const faked = vi.spyOn(globalThis, "Error").mockImplementation(function (this: Error) {
    return Object.assign(Object.create(null) as Error, {
      stack: "Error\n at toast (http://127.0.0.1/assets/slots.js:1:1)\n at go (http://127.0.0.1/api/v1/plugins/todo/assets/app.js?h=1:9:9)",
    });
  } as never);
  try {
    say();
  } finally {
    faked.mockRestore();
  }
}

/** Each test begins a minute after the one before it. */
let now = performance.now();
beforeEach(() => {
  clearNotifications();
  now += 60_000;
  vi.spyOn(performance, "now").mockImplementation(() => now);
});
afterEach(() => {
  sonner.toast.dismiss();
  cleanup();
});

describe("toast of the shimmed sonner", () => {
  it.each([
    ["info", () => toast("said", { description: "more" })],
    ["info", () => toast.info("said", { description: "more" })],
    ["info", () => toast.message("said", { description: "more" })],
    ["success", () => toast.success("said", { description: "more" })],
    ["warning", () => toast.warning("said", { description: "more" })],
    ["error", () => toast.error("said", { description: "more" })],
  ])("shows a toast and keeps it as %s", (kind, say) => {
    say();
    expect(shown()).toContain("said");
    expect(notificationsNow()).toMatchObject([{ kind, title: "said", description: "more" }]);
  });

  it("keeps the text of elements and nothing that has no words", () => {
    toast(<b>three {["new", <i key="i"> files</i>]}</b>);
    toast(<hr />);
    toast.custom(() => <p>custom</p>);
    toast.loading("wait");
    expect(notificationsNow().map(({ title }) => title)).toEqual(["three new files"]);
  });

  it("keeps how a promise ended, once", async () => {
    const success = vi.fn((name: string) => `made ${name}`);
    await (toast.promise(Promise.resolve("it"), { loading: "making", success }) as { unwrap(): Promise<string> }).unwrap();
    await vi.waitFor(() => expect(notificationsNow()).toMatchObject([{ kind: "success", title: "made it" }]));
    expect(success).toHaveBeenCalledOnce();
    expect(shown()).toContain("made it");
  });

  it("keeps why a promise failed", async () => {
    toast.promise(Promise.reject(new Error("no disk")), { loading: "…", error: (failure: Error) => failure.message });
    await vi.waitFor(() => expect(notificationsNow()).toMatchObject([{ kind: "error", title: "no disk" }]));
  });

  it("keeps the toaster going when a part of a plugin's toast fails", async () => {
    const complaints = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const Broken = (): never => {
      throw new Error("broken part");
    };
    render(<sonner.Toaster />);
    await act(async () => {
      fromPlugin(() => toast(<Broken />));
      fromPlugin(() => toast("with parts", { description: { no: "element" } as never, icon: <Broken />, action: <Broken /> }));
      fromPlugin(() => toast.custom(() => <Broken />));
      fromPlugin(() => toast.loading(<Broken />));
      fromPlugin(() => toast.promise(Promise.resolve(1), { loading: "…", success: () => <Broken /> }));
      toast("still there");
    });
    expect(await screen.findByText("still there")).toBeTruthy();
    expect(screen.getByText("with parts")).toBeTruthy();
    expect(diagnosticsNow("todo")?.lastFailure).toMatchObject({ phase: "render", slot: "toast" });
    complaints.mockRestore();
  });

  it("gives the elements of a plugin's toast the scope of its styles", async () => {
    render(<sonner.Toaster />);
    await act(async () => fromPlugin(() => toast(<b>styled</b>, { action: { label: <i>undo</i>, onClick: () => {} } })));
    for (const text of ["styled", "undo"]) {
      expect((await screen.findByText(text)).closest("[data-svc-plugin='todo']")).toBeTruthy();
    }
  });

  it("names the plugin whose bundle is on the stack", () => {
    fromPlugin(() => toast("from a plugin"));
    expect(notificationsNow()).toMatchObject([{ title: "from a plugin", pluginId: "todo" }]);
  });

  it("says whose word it is, whatever it says", async () => {
    render(<sonner.Toaster />);
    await act(async () => {
      fromPlugin(() => toast("a title"));
      fromPlugin(() => toast.custom(() => <p>all of it</p>));
      fromPlugin(() => toast("called", { description: () => "at once" }));
      fromPlugin(() => toast.promise(Promise.resolve(3), { loading: "…", success: "came", description: async (count) => `to ${count}` }));
    });
    expect((await screen.findByText("a title")).closest("li")!.textContent).toBe("a titletodo");
    expect(screen.getByText("all of it").closest("li")!.textContent).toBe("all of ittodo");
    expect(screen.getByText("called").closest("li")!.textContent).toBe("calledtodoat once");
    expect((await screen.findByText("came")).closest("li")!.textContent).toBe("cametodoto 3");
  });

  it("takes the oldest out of the page, also when all come at once", async () => {
    render(<sonner.Toaster />);
    // A frame may come before the timers of what was said in it.
    vi.stubGlobal("requestAnimationFrame", (callback: () => void) => (queueMicrotask(callback), 1));
    act(() => fromPlugin(() => Array.from({ length: 8 }, (_, index) => toast(`note ${index}`, { duration: Infinity }))));
    await screen.findByText("note 7");
    const standing = () => screen.queryAllByText(/^note/).map((element) => element.textContent);
    await vi.waitFor(() => expect(standing()).toEqual(["note 7", "note 6", "note 5", "note 4", "note 3"]));
    vi.unstubAllGlobals();
  });

  it("shows few of many at once: the rest is in the notification centre", async () => {
    fromPlugin(() => Array.from({ length: 200 }, (_, index) => toast.error(`failed ${index}`, { duration: Infinity })));
    expect(notificationsNow()).toHaveLength(100);
    await vi.waitFor(() => expect(shown().filter((title) => String(title).startsWith("failed"))).toHaveLength(5));
    expect(shown()).toContain("todo shows too many notifications");
    // What stands is changed, one more is shown after a second, and others are not held back.
    const last = sonner.toast.getToasts().findLast((entry) => "title" in entry && entry.title === "failed 7")!;
    fromPlugin(() => toast("changed", { id: last.id }));
    expect(shown()).toContain("changed");
    toast("of the window");
    expect(shown()).toContain("of the window");
    fromPlugin(() => toast("too early"));
    expect(shown()).not.toContain("too early");
    now += 1_000;
    fromPlugin(() => toast("in time"));
    expect(shown()).toContain("in time");
  });

  it("keeps a promise that has no toast any more", async () => {
    fromPlugin(() => Array.from({ length: 20 }, () => toast("many")));
    clearNotifications();
    const finished = vi.fn();
    const said = { loading: "…", success: (name: string) => `made ${name}`, finally: finished };
    let result!: { unwrap(): Promise<unknown> };
    fromPlugin(() => (result = toast.promise(() => Promise.resolve("it"), said) as unknown as typeof result));
    expect(await result.unwrap()).toBe("it");
    await vi.waitFor(() => expect(finished).toHaveBeenCalled());
    expect(notificationsNow()).toMatchObject([{ kind: "success", title: "made it", pluginId: "todo" }]);
    expect(shown()).not.toContain("made it");
  });

  it("ends with its plugin, and says nothing more until it is back", async () => {
    publishPlugins([{ pluginId: "todo", name: "To do" } as never]);
    fromPlugin(() => toast("before", { duration: Infinity }));
    publishPlugins([]);
    await vi.waitFor(() => expect(shown()).not.toContain("before"));
    fromPlugin(() => toast("after"));
    expect(shown()).not.toContain("after");
    expect(notificationsNow().map(({ title }) => title)).toEqual(["before"]);
    publishPlugins([{ pluginId: "todo", name: "To do" } as never]);
    fromPlugin(() => toast("again"));
    expect(shown()).toContain("again");
    publishPlugins([]);
    publishPlugins([{ pluginId: "todo", name: "To do" } as never]);
  });

  it("renders no second toaster", () => {
    expect(render(<Toaster />).container.innerHTML).toBe("");
  });

  it("has all of sonner's names", () => {
    expect(Object.keys(sonnerShim).sort()).toEqual(expect.arrayContaining(Object.keys(sonner).sort()));
    expect(Object.keys(toast).sort()).toEqual(Object.keys(sonner.toast).sort());
  });
});

describe("pluginInStack", () => {
  it.each([
    ["at f (http://h:1/base/api/v1/plugins/my-plugin/assets/app.js?h=abc:1:2)", "my-plugin"],
    ["f@https://h/api/v1/plugins/a%2Db/assets/app.js:1:2", "a-b"],
    ["at f (http://h/assets/index.js:1:2)", null],
    ["at f (http://h/api/v1/plugins/%E0%A4%A/assets/app.js:1:2)", null],
    [undefined, null],
  ])("finds in %s", (stack, id) => {
    expect(pluginInStack(stack)).toBe(id);
  });
});

describe("textOfNode", () => {
  it("calls what makes the text", () => {
    expect(textOfNode(() => "made")).toBe("made");
    expect(textOfNode(null)).toBe("");
    expect(textOfNode(7)).toBe("7");
  });
});
