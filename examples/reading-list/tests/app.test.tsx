// @vitest-environment happy-dom
import { loadPluginApp, renderSlot } from "@get-svc/plugin-sdk/testing/app";
import { cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";

import type { Entry } from "../server";

afterEach(cleanup);

const kEntries: Entry[] = [
  { id: "1", title: "The C Programming Language", url: "https://example.org/c", read: true },
  { id: "2", title: "Structure and Interpretation", url: "https://example.org/sicp", read: false },
];

async function panel() {
  const app = await loadPluginApp(() => import("../app"));
  expect(app.warnings).toEqual([]);
  return app.navPanels[0]!;
}

test("the path below the page says which entries are shown", async () => {
  const page = renderSlot(await panel(), { subPath: "" }, { rpc: { list: () => kEntries } });
  expect(await screen.findAllByRole("listitem")).toHaveLength(2);
  page.rerender({ subPath: "unread" });
  expect(screen.getAllByRole("listitem")).toHaveLength(1);
  expect(screen.getByRole("link", { name: "Structure and Interpretation" })).toBeTruthy();
});

test("the title bar's switch changes the path", async () => {
  const header = renderSlot({ component: (await panel()).headerContent! }, { subPath: "" });
  fireEvent.click(screen.getByRole("button", { name: "Only unread" }));
  expect(header.inspection.navigateCalls).toMatchObject([{ method: "toPluginPanel", path: "reading", options: { subPath: "unread" } }]);
});

test("the sidebar's row counts what is unread", async () => {
  let entries = kEntries;
  const row = renderSlot({ component: (await panel()).experimental_sidebarAccessory! }, {}, { rpc: { list: () => entries } });
  await screen.findByText("1 unread");
  entries = kEntries.map((entry) => ({ ...entry, read: false }));
  row.emitRealtime("entries-changed", { unread: 2 });
  await screen.findByText("2 unread");
});

test("an entry that is refused says why and stays in the form", async () => {
  renderSlot(
    await panel(),
    { subPath: "" },
    {
      rpc: { list: () => [], add: () => Promise.reject(new Error("This is no address.")) },
    },
  );
  fireEvent.change(await screen.findByLabelText("Title"), { target: { value: "A" } });
  fireEvent.change(screen.getByLabelText("Address"), { target: { value: "nonsense" } });
  fireEvent.click(screen.getByRole("button", { name: "Add" }));
  expect((await screen.findByRole("alert")).textContent).toBe("This is no address.");
  expect(screen.getByLabelText<HTMLInputElement>("Address").value).toBe("nonsense");
});
