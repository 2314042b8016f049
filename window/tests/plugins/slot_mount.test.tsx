import { cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { StrictMode, use, useContext, useEffect, useState, type ReactNode } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { clearCrashes, kCrashInstances } from "@/plugins/crashes";
import { diagnosticsNow, forgetDiagnostics, updateDiagnostics } from "@/plugins/diagnostics";
import { PluginMountContext, type PluginMount } from "@/plugins/mount_context";
import { useCrashes } from "@/plugins/registry";
import { SlotMount, type SlotMountProps } from "@/plugins/slot_mount";

import { activePlugin } from "./fake_plugins";

const { toPluginDetail, toPluginLogs } = vi.hoisted(() => ({ toPluginDetail: vi.fn(), toPluginLogs: vi.fn() }));
const reported = vi.hoisted(() => vi.fn());
vi.mock("@/lib/navigation", () => ({ navigation: { toPluginDetail, toPluginLogs } }));
vi.mock("@/plugins/report", () => ({ sendReport: reported }));

let consoleError: ReturnType<typeof vi.spyOn>;

beforeEach(() => {
  consoleError = vi.spyOn(console, "error").mockImplementation(() => undefined);
  toPluginDetail.mockReset();
  reported.mockReset();
});
afterEach(() => {
  cleanup();
  clearCrashes("todo");
  forgetDiagnostics("todo");
});

type Given = Partial<Omit<SlotMountProps<object>, "component">> & { component: () => ReactNode };
const kPlugin = activePlugin();
const mount = ({ component, ...given }: Given) => (
  <SlotMount plugin={kPlugin} slot="navPanel" id="main" component={component} props={{}} {...given} />
);
function Bomb(): ReactNode {
  throw new Error("boom");
}
const Fine = () => <p>fine</p>;

describe("SlotMount", () => {
  it("gives the component its props, its plugin and a wrapper that scopes its styles", () => {
    let seen: PluginMount | null = null;
    function Page({ subPath }: { subPath: string }) {
      seen = useContext(PluginMountContext);
      return <p>at {subPath}</p>;
    }
    const surface = { projectId: "p", threadId: "t" };
    render(
      <SlotMount plugin={kPlugin} slot="navPanel" id="main" instanceId="i" surface={surface} component={Page} props={{ subPath: "a/b" }} />,
    );
    const wrapper = screen.getByText("at a/b").parentElement!;
    expect(wrapper.getAttribute("data-svc-plugin")).toBe("todo");
    expect(wrapper.hasAttribute("data-svc-plugin-root")).toBe(true);
    expect(wrapper.style.display).toBe("contents");
    expect(seen).toMatchObject({ plugin: kPlugin, slot: "navPanel", id: "main", instanceId: "i", surface });
  });

  it("waits for a component alone, without hiding what is around it", () => {
    const Waiting = () => use(new Promise<never>(() => {}));
    render(
      <>
        <p>around</p>
        {mount({ component: Waiting, pending: <p>waiting</p> })}
        {mount({ component: Waiting, id: "other" })}
      </>,
    );
    expect(screen.getByText("around").style.display).toBe("");
    expect(screen.getByText("waiting")).toBeTruthy();
  });

  it("keeps the mount's context while its surface says the same", () => {
    const seen = new Set<PluginMount | null>();
    const Page = () => {
      seen.add(useContext(PluginMountContext));
      return null;
    };
    const { rerender } = render(mount({ component: Page, surface: { projectId: null, threadId: "t" } }));
    rerender(mount({ component: Page, surface: { projectId: null, threadId: "t" } }));
    expect(seen.size).toBe(1);
    rerender(mount({ component: Page, surface: { projectId: null, threadId: "t", isCompact: true } }));
    expect([...seen].map((one) => one?.surface)).toEqual([
      { projectId: null, threadId: "t" },
      { projectId: null, threadId: "t", isCompact: true },
    ]);
  });

  it("keeps state while the same generation is published again, and mounts the next generation anew", () => {
    function Counter() {
      const [count, setCount] = useState(0);
      return <button onClick={() => setCount(count + 1)}>count {count}</button>;
    }
    const show = (generation: number, serverGeneration: number) =>
      mount({ component: Counter, plugin: activePlugin("todo", { generation, serverGeneration }) });
    const { rerender } = render(show(1, 1), { wrapper: StrictMode });
    fireEvent.click(screen.getByText("count 0"));
    rerender(show(1, 2));
    expect(screen.getByText("count 1")).toBeTruthy();
    rerender(show(2, 2));
    expect(screen.getByText("count 0")).toBeTruthy();
    fireEvent.click(screen.getByText("count 0"));
    rerender(mount({ component: Counter, plugin: activePlugin("todo", { generation: 2 }), id: "other" }));
    expect(screen.getByText("count 0")).toBeTruthy();
  });
});

describe("a crash", () => {
  it("stays inside its mount, names the plugin and says why", () => {
    render(
      <>
        {mount({ component: Bomb })}
        {mount({ component: Fine, id: "other" })}
      </>,
    );
    expect(screen.getByText("Todo stopped working")).toBeTruthy();
    expect(screen.getByText("boom")).toBeTruthy();
    expect(screen.getByText("fine")).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Open plugin" }));
    expect(toPluginDetail).toHaveBeenCalledExactlyOnceWith("todo");
  });

  it("is recorded, reported, and written to the console with the component stack", () => {
    updateDiagnostics("todo", { hash: "h1", generation: 1 });
    render(mount({ component: Bomb }));
    expect(diagnosticsNow("todo")!.lastFailure).toMatchObject({ phase: "render", message: "boom", slot: "navPanel main" });
    expect(reported).toHaveBeenCalledExactlyOnceWith(
      "todo",
      expect.objectContaining({ hash: "h1", generation: 1, phase: "render", slot: "navPanel main", message: "boom" }),
    );
    const ours = consoleError.mock.calls.filter(([first]: unknown[]) => String(first).startsWith("todo: "));
    expect(ours).toHaveLength(1);
    expect(String(ours[0]!.at(-1))).toContain("Bomb");
  });

  it("mounts again on Reload", () => {
    let isBroken = true;
    const component = () => (isBroken ? <Bomb /> : <Fine />);
    render(mount({ component }));
    isBroken = false;
    fireEvent.click(screen.getByRole("button", { name: "Reload" }));
    expect(screen.getByText("fine")).toBeTruthy();
    expect(screen.queryByText("Todo stopped working")).toBeNull();
  });

  it("is marked again when it is not gone after Reload", () => {
    render(mount({ component: Bomb }));
    fireEvent.click(screen.getByRole("button", { name: "Reload" }));
    expect(screen.getByText("Todo stopped working")).toBeTruthy();
  });

  it("shows again what crashed when its marks are cleared", () => {
    let isBroken = true;
    const component = () => (isBroken ? <Bomb /> : <Fine />);
    const { rerender } = render(mount({ component }));
    isBroken = false;
    clearCrashes("todo");
    rerender(mount({ component }));
    expect(screen.getByText("fine")).toBeTruthy();
  });

  it("in an event handler or a later render is caught too", () => {
    function Later() {
      const [isOver, setIsOver] = useState(false);
      useEffect(() => {
        if (isOver) {
          throw new Error("in an effect");
        }
      }, [isOver]);
      return <button onClick={() => setIsOver(true)}>go</button>;
    }
    render(mount({ component: Later }));
    fireEvent.click(screen.getByText("go"));
    expect(screen.getByText("in an effect")).toBeTruthy();
  });

  it.each([
    ["nothing", "none" as const, ""],
    ["the source text", "::todo{id=1}", "::todo{id=1}"],
    ["a component", <b key="b">own</b>, "own"],
    ["what a function makes of it", (crash: { message: string }) => `failed: ${crash.message}`, "failed: boom"],
  ])("can show %s instead", (_name, fallback, text) => {
    const { container } = render(mount({ component: Bomb, fallback }));
    expect(container.textContent).toBe(text);
  });

  it("fills a page with what happened and what can be done", () => {
    render(mount({ component: Bomb, fallback: "page" }));
    const card = within(screen.getByRole("group", { name: "Todo stopped working" }));
    expect(card.getByRole("alert").textContent).toContain("boom");
    expect(card.getAllByRole("button").map(({ textContent }) => textContent)).toEqual(["Reload", "Open plugin", "Logs"]);
    fireEvent.click(card.getByRole("button", { name: "Logs" }));
    expect(toPluginLogs).toHaveBeenCalledExactlyOnceWith("todo");
  });

  it("of one instance leaves the others; three of one slot disable the slot, and Reload enables it again", () => {
    let broken = new Set<string>();
    const instance = (instanceId: string) =>
      mount({ component: () => (broken.has(instanceId) ? <Bomb /> : <p>{instanceId}</p>), instanceId, slot: "messageDirective" });
    const ids = ["1", "2", "3", "4"];
    const tree = () => (
      <>
        {ids.map((id) => (
          <div key={id}>{instance(id)}</div>
        ))}
      </>
    );
    broken = new Set(ids.slice(0, kCrashInstances - 1));
    const { rerender } = render(tree());
    expect(screen.getByText("3")).toBeTruthy();
    expect(screen.getAllByText("Todo stopped working")).toHaveLength(2);
    broken.add("3");
    rerender(tree());
    expect(screen.getAllByText("Todo stopped working")).toHaveLength(4);
    broken.clear();
    fireEvent.click(screen.getAllByRole("button", { name: "Reload" })[3]!);
    expect(screen.queryAllByText("Todo stopped working")).toHaveLength(0);
    expect(screen.getByText("1")).toBeTruthy();
  });

  it("explains a second copy of React", () => {
    render(
      mount({
        component: () => {
          throw new TypeError("Cannot read properties of null (reading 'useState')");
        },
      }),
    );
    expect(screen.getByText(/second copy of React; build it with `svc plugin build`/)).toBeTruthy();
  });

  it("shows on the plugin's row until it is cleared", () => {
    function Row() {
      return <p>marks: {useCrashes("todo").length}</p>;
    }
    render(
      <>
        <Row />
        {mount({ component: Bomb, fallback: "none" })}
      </>,
    );
    expect(screen.getByText("marks: 1")).toBeTruthy();
  });

  it("of something that is no error is shown as text", () => {
    render(
      mount({
        component: () => {
          throw "just text";
        },
      }),
    );
    expect(screen.getByText("just text")).toBeTruthy();
  });
});

describe("what a mount owns", () => {
  function Owner({ release, isBroken = false }: { release: () => void; isBroken?: boolean }) {
    const { own } = useContext(PluginMountContext)!;
    useEffect(() => void own(release), [own, release]);
    return isBroken ? <Bomb /> : <p>owner</p>;
  }
  const owner = (props: { release: () => void; isBroken?: boolean }) => (
    <SlotMount plugin={kPlugin} slot="navPanel" id="main" component={Owner} props={props} />
  );

  it("is released when it unmounts", () => {
    const release = vi.fn();
    const { unmount } = render(owner({ release }));
    expect(release).not.toHaveBeenCalled();
    unmount();
    expect(release).toHaveBeenCalledOnce();
  });

  it("is kept through StrictMode's second run of effects", () => {
    const release = vi.fn();
    const { unmount } = render(owner({ release }), { wrapper: StrictMode });
    expect(release).not.toHaveBeenCalled();
    unmount();
    expect(release).toHaveBeenCalled();
  });

  it("is released when it crashes", () => {
    const release = vi.fn();
    const { rerender } = render(owner({ release }));
    rerender(owner({ release, isBroken: true }));
    expect(release).toHaveBeenCalledOnce();
  });

  it("is released when another mount takes its place on the page", () => {
    const release = vi.fn();
    const { rerender } = render(owner({ release }));
    rerender(<SlotMount plugin={activePlugin("other")} slot="navPanel" id="main" component={Owner} props={{ release: () => undefined }} />);
    expect(release).toHaveBeenCalledOnce();
  });

  it("is released once, at once when the mount has ended, and a release that throws keeps no other", () => {
    let mounted: PluginMount | undefined;
    const Page = () => {
      mounted = useContext(PluginMountContext)!;
      return null;
    };
    const { unmount } = render(mount({ component: Page }));
    const [first, second, late] = [vi.fn(), vi.fn(), vi.fn()];
    const releaseFirst = mounted!.own(first);
    mounted!.own(second);
    mounted!.own(() => {
      throw new Error("stuck");
    });
    releaseFirst();
    releaseFirst();
    unmount();
    expect(first).toHaveBeenCalledOnce();
    expect(second).toHaveBeenCalledOnce();
    mounted!.own(late);
    expect(late).toHaveBeenCalledOnce();
  });
});
