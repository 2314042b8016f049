import { act, render } from "@testing-library/react";
import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { afterEach, expect, test, vi } from "vitest";

import { queryClient, queryKeys } from "@/api/queries";
import { publishPlugins } from "@/plugins/active";
import { useRememberPanelRows } from "@/shell/panel_rows";

import { record } from "../plugins/fake_plugins";
import { pluginWithPanels, resetWindow, showPlugins } from "./fixtures";

afterEach(resetWindow);

const kStored = "svc.sidebar.known";
const stored = () => (JSON.parse(localStorage.getItem(kStored) ?? "[]") as { panelId: string }[]).map(({ panelId }) => panelId);

function Remember() {
  useRememberPanelRows();
  return null;
}

function renderRemember() {
  render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <Remember />
      </QueryClientProvider>
    </StrictMode>,
  );
}

/** Another window of the browser, which holds another version of the plugin. */
function otherWindowStores(...panelIds: string[]) {
  act(() => {
    localStorage.setItem(
      kStored,
      JSON.stringify(panelIds.map((panelId) => ({ pluginId: "a", panelId, title: panelId, icon: "X", path: panelId }))),
    );
    dispatchEvent(new StorageEvent("storage", { key: kStored }));
  });
}

test("rows are remembered once they are known, and again when they change", () => {
  showPlugins(pluginWithPanels("a", "one"));
  renderRemember();
  expect(stored()).toEqual(["one"]);
  act(() => publishPlugins([pluginWithPanels("a", "one", "two")]));
  expect(stored()).toEqual(["one", "two"]);
});

test("nothing is written in answer to another window, however long both disagree", () => {
  showPlugins(pluginWithPanels("a", "mine"));
  renderRemember();
  const write = vi.spyOn(Storage.prototype, "setItem");
  const written = () => write.mock.calls.filter(([, value]) => value.includes('"mine"'));
  otherWindowStores("theirs");
  expect(stored()).toEqual(["theirs"]);
  // News of the service that change nothing of the rows, as they come every few seconds.
  act(() => void queryClient.setQueryData(queryKeys.plugins, [record("a", "h1", { enabled: true, generation: 2 })]));
  act(() => publishPlugins([pluginWithPanels("a", "mine")]));
  expect(written()).toEqual([]);
  expect(stored()).toEqual(["theirs"]);
  // What changes here is news.
  act(() => publishPlugins([pluginWithPanels("a", "mine", "more")]));
  expect(stored()).toEqual(["mine", "more"]);
});
