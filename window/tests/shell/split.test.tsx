import { act, configure, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, describe, expect, test, vi } from "vitest";

import { kHooks } from "@/sdk_app/hooks";
import { kThreadActions } from "@/sdk_app/thread_actions";
import { publishPlugins } from "@/plugins/active";
import { clearCrashes } from "@/plugins/crashes";
import { NavigationRows } from "@/shell/sidebar/navigation_rows";
import { clampSplitWidth, kPaneMin, split } from "@/plugins/split";
import { SplitArea } from "@/shell/split_area";

import { FakeService } from "../plugins_pages/fake_service";
import { pretendLayout } from "../setup/layout";
import { assistantRow, timelineOf, userRow } from "../threads/fake_timeline";
import { threadRecord } from "../threads/fixtures";
import { pluginWith, renderAt, resetWindow, showPlugins } from "./fixtures";

// How long a passing test takes is up to the machine; only a failing one waits this long.
configure({ asyncUtilTimeout: 10_000 });
vi.setConfig({ testTimeout: 60_000 });

afterEach(() => {
  act(() => {
    split.close();
    split.setWidth(null);
    split.setRoom(0);
  });
  resetWindow();
});

function Counter({ subPath }: { subPath: string }) {
  const [count, setCount] = useState(0);
  const navigate = kHooks.useSvcNavigate();
  return (
    <>
      <button onClick={() => setCount(count + 1)}>{`Counted ${count}`}</button>
      <button onClick={() => navigate.toPluginPanel("one", { subPath: "deep/er" })}>Go deeper</button>
      <p>{`At ${subPath}`}</p>
    </>
  );
}

function Broken(): never {
  throw new Error("boom");
}

const counting = () =>
  pluginWith("a", (app) => {
    app.slots.navPanel({ id: "one", title: "Page one", icon: "ListTodo", path: "one", component: Counter });
    app.slots.navPanel({ id: "two", title: "Page two", icon: "ListTodo", path: "two", component: Broken });
  });

function Window() {
  return (
    <>
      <NavigationRows />
      <SplitArea>
        <main id="main">
          <h1>The page</h1>
          <input aria-label="Draft" />
        </main>
      </SplitArea>
    </>
  );
}

const show = (plugin = counting()) => {
  showPlugins(plugin);
  return renderAt("/plugins/a/one", <Window />);
};
const row = (name = "Page one") => screen.getByRole("link", { name });
const pane = (name = "Page one") => screen.findByRole("region", { name });
const altClick = (element: HTMLElement) => fireEvent.click(element, { altKey: true });

describe("a row of a plugin", () => {
  test("opens beside the page with Alt and a click; the address and what is typed stay", async () => {
    const { pathname } = show();
    await userEvent.type(screen.getByLabelText("Draft"), "half a thought");
    altClick(row());
    const beside = await pane();
    expect(within(beside).getByText("Counted 0")).toBeTruthy();
    expect(document.activeElement).toBe(within(beside).getByRole("heading", { name: "Page one" }));
    expect(pathname()).toBe("/plugins/a/one");
    expect((screen.getByLabelText("Draft") as HTMLInputElement).value).toBe("half a thought");
  });

  test("opens with Alt and Enter, and from its menu", async () => {
    const user = userEvent.setup();
    show();
    row().focus();
    await user.keyboard("{Alt>}{Enter}{/Alt}");
    await pane();
    act(split.close);
    await user.click(screen.getByRole("button", { name: "More for Page one" }));
    await user.click(screen.getByRole("menuitem", { name: "Open in split" }));
    expect(await pane()).toBeTruthy();
  });

  test.each(["ctrlKey", "metaKey", "shiftKey"])("is left to the browser with %s", (key) => {
    const { pathname } = show();
    // What the browser would do is not prevented: neither by the split nor by the window's own navigation.
    expect(fireEvent.click(row("Page two"), { altKey: true, [key]: true })).toBe(true);
    expect(fireEvent.click(row("Page two"), { [key]: true })).toBe(true);
    expect(split.now().page).toBeNull();
    expect(pathname()).toBe("/plugins/a/one");
  });

  test("goes there where two pages have no room", async () => {
    const { pathname } = show();
    act(() => split.setRoom(2 * kPaneMin - 1));
    altClick(row("Page two"));
    await waitFor(() => expect(pathname()).toBe("/plugins/a/two"));
    expect(split.now().page).toBeNull();
  });
});

describe("the split", () => {
  test("is closed by its button, which gives the focus back to the row", async () => {
    show();
    row().focus();
    await userEvent.setup().keyboard("{Alt>}{Enter}{/Alt}");
    await userEvent.click(await screen.findByRole("button", { name: "Close Page one" }));
    expect(screen.queryByRole("region", { name: "Page one" })).toBeNull();
    expect(document.activeElement).toBe(row());
  });

  test("becomes the page", async () => {
    const { router } = show();
    act(() => split.open("a", "one", "x/y"));
    await userEvent.click(await screen.findByRole("button", { name: "Show only Page one" }));
    expect(router.state.location.pathname).toBe("/plugins/a/one/x/y");
    expect(split.now().page).toBeNull();
  });

  test("keeps its own place when its page moves", async () => {
    const { pathname } = show();
    act(() => split.open("a", "one"));
    await userEvent.click(within(await pane()).getByRole("button", { name: "Go deeper" }));
    expect(within(await pane()).getByText("At deep/er")).toBeTruthy();
    expect(pathname()).toBe("/plugins/a/one");
  });

  test("keeps a crash to itself", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    show();
    act(() => split.open("a", "two"));
    expect(within(await pane("Page two")).getByText(/stopped working/)).toBeTruthy();
    expect(screen.getByRole("heading", { name: "The page" })).toBeTruthy();
    expect(within(await pane("Page two")).getByRole("button", { name: "Close Page two" })).toBeTruthy();
    clearCrashes("a");
  });

  test("says that its plugin is not there, and shows it again when it is", async () => {
    show();
    act(() => split.open("a", "one"));
    await pane();
    act(() => publishPlugins([]));
    expect(within(await pane("a")).getByText("This page has nothing to show")).toBeTruthy();
    act(() => publishPlugins([counting()]));
    expect(within(await pane()).getByText("Counted 0")).toBeTruthy();
  });

  test("changes its width with the keyboard, within what both pages need, and keeps it for the tab", async () => {
    const user = userEvent.setup();
    show();
    act(() => split.setRoom(1000));
    act(() => split.open("a", "one"));
    const separator = within(await pane()).getByRole("separator", { name: "Width of the split" });
    expect(separator.getAttribute("aria-valuenow")).toBe("500");
    expect(separator.getAttribute("aria-valuemax")).toBe("680");
    separator.focus();
    await user.keyboard("{ArrowLeft}");
    expect(separator.getAttribute("aria-valuenow")).toBe("516");
    await user.keyboard("{End}");
    expect(separator.getAttribute("aria-valuenow")).toBe("680");
    expect(JSON.parse(sessionStorage.getItem("svc.split")!)).toEqual({ page: { pluginId: "a", path: "one", subPath: "" }, width: 680 });
  });

  test("waits while there is no room, and comes back as it was", async () => {
    show();
    act(() => split.setRoom(1000));
    act(() => split.open("a", "one"));
    await pane();
    act(() => split.setRoom(500));
    expect(screen.queryByRole("region", { name: "Page one" })).toBeNull();
    act(() => split.setRoom(1000));
    expect(await pane()).toBeTruthy();
  });

  test.each([
    [0, 1000, kPaneMin],
    [5000, 1000, 680],
    [500.4, 1000, 500],
    [500, 0, 500],
  ])("%d of %d pixels become %d", (asked, area, width) => {
    expect(clampSplitWidth(asked, area)).toBe(width);
  });
});

test("a replacement of the navigation opens pages in a split, and goes to everything else", async () => {
  showPlugins(
    counting(),
    pluginWith("nav", (app) =>
      app.slots.experimental_sidebarNavigation({
        id: "nav",
        title: "Nav",
        component: ({ items, experimental_activate }) =>
          items.map(({ id, label }) => (
            <button key={id} onClick={() => experimental_activate(id, { openInSplit: true })}>{`Split ${label}`}</button>
          )),
      }),
    ),
  );
  const { pathname } = renderAt("/", <Window />);
  await userEvent.click(await screen.findByRole("button", { name: "Split Page one" }));
  expect(await pane()).toBeTruthy();
  expect(pathname()).toBe("/");
  await userEvent.click(screen.getByRole("button", { name: "Split Plugins" }));
  expect(pathname()).toBe("/plugins");
});

describe("a thread", () => {
  const record = threadRecord({ id: "t1", title: "Paint the door" });
  const service = () =>
    new FakeService()
      .on("GET /system/config", () => ({ records: ["threads"] }))
      .on("GET /threads", () => ({ threads: [record] }))
      .on("GET /threads/t1", () => ({ thread: record }))
      .on("GET /threads/t1/timeline", () => timelineOf([userRow("u", 1, "Hello"), assistantRow("a", 2, "Hi there", { sourceSeqEnd: 3 })]))
      .on("GET /threads/t1/interactions", () => ({ interactions: [] }))
      .on("GET /threads/t1/queued-messages", () => ({ queuedMessages: [] }))
      .install();

  afterEach(() => {
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });

  test("opens beside the page, with its composer, and becomes the page", async () => {
    service();
    pretendLayout();
    const { router } = show();
    act(() => kThreadActions.open("t1", { split: true }));
    const beside = await pane("Paint the door");
    expect(await within(beside).findByText("Hi there")).toBeTruthy();
    expect(within(beside).getByRole("textbox", { name: "Message" })).toBeTruthy();
    expect(router.state.location.pathname).toBe("/plugins/a/one");
    await userEvent.click(within(beside).getByRole("button", { name: "Show only Paint the door" }));
    expect(router.state.location.pathname).toBe("/threads/t1");
    expect(split.now().page).toBeNull();
  });

  test("is not shown beside itself, where its draft could be sent twice, and is there again when the page goes on", async () => {
    service();
    pretendLayout();
    const { router } = show();
    act(() => split.openThread("t1"));
    await pane("Paint the door");
    await act(() => router.navigate("/threads/t1"));
    expect(screen.queryByRole("region", { name: "Paint the door" })).toBeNull();
    act(() => split.openThread("t1"));
    expect(screen.queryByRole("region", { name: "Paint the door" })).toBeNull();
    await act(() => router.navigate("/plugins/a/one"));
    expect(await pane("Paint the door")).toBeTruthy();
  });

  test("that is gone says so in its place, and can be closed", async () => {
    new FakeService().on("GET /threads", () => ({ threads: [] })).install();
    show();
    act(() => split.openThread("t1"));
    const beside = await pane("Thread");
    expect(await within(beside).findByText("This thread is not here")).toBeTruthy();
    await userEvent.click(within(beside).getByRole("button", { name: "Close Thread" }));
    expect(split.now().page).toBeNull();
  });

  test("is shown instead of the page where two have no room", async () => {
    const { pathname } = show();
    act(() => split.setRoom(2 * kPaneMin - 1));
    act(() => split.openThread("t1"));
    await waitFor(() => expect(pathname()).toBe("/threads/t1"));
  });

  test("stays beside the page when the window is loaded again", () => {
    show();
    act(() => split.openThread("t1"));
    expect(JSON.parse(sessionStorage.getItem("svc.split")!)).toMatchObject({ page: { threadId: "t1" } });
  });
});
