import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";

import { registerCommand } from "@/lib/commands";
import { queryClient, queryKeys } from "@/api/queries";
import { layers, useIsPaletteOpen } from "@/shell/layers";
import Palette from "@/shell/palette/palette";

import { threadRecord } from "../threads/fixtures";
import { pluginWith, renderAt, resetWindow, showPlugins } from "./fixtures";

beforeAll(() => {
  // What the list of commands needs of a browser and the test environment lacks.
  Element.prototype.scrollIntoView ??= () => undefined;
});

let remove: (() => void)[] = [];
const run = vi.fn();

beforeEach(() => {
  run.mockReset();
  remove = [
    registerCommand({ id: "test.one", title: "First thing", run }),
    registerCommand({ id: "test.two", title: "Second thing", run: () => undefined }),
  ];
});
afterEach(() => {
  remove.forEach((one) => one());
  layers.setPalette(false);
  resetWindow();
});

function Page() {
  const isOpen = useIsPaletteOpen();
  const [count, setCount] = useState(0);
  return (
    <>
      <button onClick={() => (setCount(count + 1), layers.openPalette())}>Opener</button>
      {isOpen && <Palette />}
    </>
  );
}

async function open() {
  const user = userEvent.setup();
  renderAt("/", <Page />);
  await user.click(screen.getByRole("button", { name: "Opener" }));
  return user;
}

test("is a combobox over a list of what can be done", async () => {
  await open();
  expect(screen.getByRole("combobox")).toBe(document.activeElement);
  expect(screen.getByRole("option", { name: /First thing/ })).toBeTruthy();
});

test("what is typed before it is there is not lost", () => {
  const page = vi.fn();
  addEventListener("keydown", page);
  layers.openPalette();
  fireEvent.keyDown(document.body, { key: "s" });
  fireEvent.keyDown(document.body, { key: "x" });
  fireEvent.keyDown(document.body, { key: "Backspace" });
  fireEvent.keyDown(document.body, { key: "e" });
  fireEvent.keyDown(document.body, { key: "k", ctrlKey: true });
  expect(page.mock.calls.map(([event]) => (event as KeyboardEvent).key)).toEqual(["k"]);
  removeEventListener("keydown", page);
  renderAt("/", <Page />);
  expect(screen.getByRole<HTMLInputElement>("combobox").value).toBe("se");
  expect(screen.queryByRole("option", { name: /First thing/ })).toBeNull();
  expect(screen.getByRole("option", { name: /Second thing/ })).toBeTruthy();
});

test("Enter before it is there runs what was meant", async () => {
  layers.openPalette();
  for (const key of ["f", "i", "r", "Enter", "Enter", "x"]) {
    fireEvent.keyDown(document.body, { key });
  }
  renderAt("/", <Page />);
  await waitFor(() => expect(run).toHaveBeenCalledTimes(1));
  expect(screen.queryByRole("combobox")).toBeNull();
});

test("Escape before it is there gives it up, and typing is the page's again", () => {
  layers.openPalette();
  fireEvent.keyDown(document.body, { key: "f" });
  fireEvent.keyDown(document.body, { key: "Escape" });
  renderAt("/", <Page />);
  expect(screen.queryByRole("combobox")).toBeNull();
  const page = vi.fn();
  addEventListener("keydown", page);
  fireEvent.keyDown(document.body, { key: "f" });
  removeEventListener("keydown", page);
  expect(page).toHaveBeenCalledTimes(1);
  act(() => layers.openPalette());
  expect(screen.getByRole<HTMLInputElement>("combobox").value).toBe("");
});

test("a palette that never comes keeps no keys from the page", () => {
  vi.useFakeTimers();
  layers.openPalette();
  vi.runAllTimers();
  vi.useRealTimers();
  const page = vi.fn();
  addEventListener("keydown", page);
  fireEvent.keyDown(document.body, { key: "f" });
  removeEventListener("keydown", page);
  expect(page).toHaveBeenCalledTimes(1);
});

test("runs what was chosen after it closed and the focus returned", async () => {
  const user = await open();
  let focused: Element | null = null;
  let wasOpen = true;
  run.mockImplementation(() => {
    focused = document.activeElement;
    wasOpen = screen.queryByRole("dialog") !== null;
  });
  await user.keyboard("first{Enter}");
  await vi.waitFor(() => expect(run).toHaveBeenCalledOnce());
  expect(focused).toBe(screen.getByRole("button", { name: "Opener" }));
  expect(wasOpen).toBe(false);
});

test("remembers what was used, newest first", async () => {
  const user = await open();
  await user.keyboard("second{Enter}");
  await vi.waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  await user.click(screen.getByRole("button", { name: "Opener" }));
  const recent = screen.getByText("Recent").closest("[cmdk-group]") as HTMLElement;
  expect(
    within(recent)
      .getAllByRole("option")
      .map((option) => option.textContent),
  ).toEqual(["Second thing · Window"]);
});

test("shows plugin commands under the plugin's name; one whose check throws stays away", async () => {
  showPlugins(
    pluginWith("a", (app) => {
      app.commands.register({ id: "ok", title: "Works", run: () => undefined });
      app.commands.register({
        id: "no",
        title: "Throws",
        run: () => undefined,
        isAvailable: () => {
          throw new Error("x");
        },
      });
    }),
  );
  await open();
  expect(screen.getByText("The a")).toBeTruthy();
  expect(screen.getByRole("option", { name: /Works/ })).toBeTruthy();
  expect(screen.queryByRole("option", { name: /Throws/ })).toBeNull();
});

test("leads to single settings and to what there is about each plugin, once something is typed", async () => {
  const record = { id: "weather", name: "Weather station", hasSettings: true };
  queryClient.setQueryData(queryKeys.plugins, [record, { ...record, id: "bare", name: "Bare weather", hasSettings: false }]);
  const user = userEvent.setup();
  const { router } = renderAt("/", <Page />);
  await user.click(screen.getByRole("button", { name: "Opener" }));
  expect(screen.queryByRole("option", { name: /Settings of/ })).toBeNull();
  await user.keyboard("weather");
  const titles = screen.getAllByRole("option").map(({ textContent }) => textContent);
  expect(titles).toEqual(
    expect.arrayContaining(["About Weather station", "Settings of Weather station", "Log of Weather station", "About Bare weather"]),
  );
  expect(titles).not.toContain("Settings of Bare weather");
  await user.clear(screen.getByRole("combobox"));
  await user.keyboard("light or dark{Enter}");
  await vi.waitFor(() => expect(router.state.location.pathname).toBe("/settings/appearance"));
});

test("says so when nothing matches", async () => {
  const user = await open();
  await user.keyboard("qqqq");
  expect(screen.getByText(/Nothing is called “qqqq”/)).toBeTruthy();
});

test("leads to what was said for words that no row is called by", async () => {
  queryClient.setQueryData(["threads"], [threadRecord()]);
  queryClient.setQueryData(["projects"], []);
  const user = userEvent.setup();
  const { router } = renderAt("/", <Page />);
  await user.click(screen.getByRole("button", { name: "Opener" }));
  await user.keyboard("q");
  expect(screen.queryByRole("option", { name: /what was said/ })).toBeNull();
  await user.keyboard("qqq{Enter}");
  await vi.waitFor(() => expect(router.state.location.search).toBe("?q=qqqq"));
  expect(router.state.location.pathname).toBe("/threads");
  expect(localStorage.getItem("palette.recent") ?? "").not.toContain("said");
});
