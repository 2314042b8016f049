import { QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { pluginsQuery, queryClient } from "@/api/queries";
import { forgetDiagnostics, updateDiagnostics } from "@/plugins/diagnostics";
import { locate } from "@/plugins/locate";
import { DevOverlay } from "@/shell/dev_overlay";
import { TooltipProvider } from "@/ui";

import { record as pluginRecord } from "../plugins/fake_plugins";

const kBundle = "http://127.0.0.1:4700/api/v1/plugins/todo/assets/app.js";
const kSource = "one\ntwo\n    throw new Error('oops')\nfour\nfive\nsix";
const kMap = {
  version: 3,
  sources: ["../app.tsx", "../node_modules/left-pad/index.js"],
  sourcesContent: [kSource, "padded"],
  names: [],
  // Line 1 is app.tsx 3:5, line 2 the package, line 3 app.tsx again.
  mappings: "AAEI;ACAA;ADEA",
};

/** What the service answers; paths without one are 404. */
const answers = new Map<string, unknown>();
const fetchMock = vi.fn<typeof fetch>();
const asked = () => fetchMock.mock.calls.map(([address]) => new URL(String(address)).pathname);

function serveBundle(map: object | null, version: string): string {
  const text = map === null ? "code" : `code\n//# sourceMappingURL=data:application/json;base64,${btoa(JSON.stringify(map))}\n`;
  const address = `${kBundle}?h=${version}`;
  answers.set(address, text);
  return address;
}

beforeEach(() => {
  answers.clear();
  fetchMock.mockReset();
  fetchMock.mockImplementation(async (input) => {
    const address = String(input);
    const answer = answers.get(address) ?? answers.get(new URL(address).pathname);
    return answer === undefined
      ? new Response('{"ok":false,"error":{"code":"not_found","message":"no"}}', { status: 404 })
      : new Response(typeof answer === "string" ? answer : JSON.stringify(answer));
  });
  vi.stubGlobal("fetch", fetchMock);
});
afterEach(() => {
  cleanup();
  forgetDiagnostics("todo");
  queryClient.clear();
  localStorage.clear();
  vi.unstubAllGlobals();
});

function developing(problems: object[] = [], active = true): void {
  answers.set("/api/v1/plugins/todo/dev-session", { ok: true, active, problems });
}

const record = (statusDetail: string | null = null) => ({
  ...pluginRecord("todo", null),
  name: "Todo",
  rootDir: "/home/ada/my todo",
  app: { hasApp: true, bundle: null },
  statusDetail,
});
const setRecord = (statusDetail: string | null) => act(() => void queryClient.setQueryData(pluginsQuery.queryKey, [record(statusDetail)]));

function open() {
  queryClient.setQueryData(pluginsQuery.queryKey, [record()]);
  queryClient.setQueryDefaults(pluginsQuery.queryKey, { staleTime: Infinity });
  return render(
    <QueryClientProvider client={queryClient}>
      <TooltipProvider>
        <button type="button">page</button>
        <DevOverlay />
      </TooltipProvider>
    </QueryClientProvider>,
  );
}

let failures = 0;
const fail = (message: string, stack?: string) =>
  act(() =>
    updateDiagnostics("todo", { lastFailure: { phase: "render", at: ++failures, message, ...(stack === undefined ? {} : { stack }) } }),
  );

describe("DevOverlay", () => {
  it("shows what failed with its line, the stack of the plugin's own files and the way into the editor", async () => {
    developing();
    const address = serveBundle(kMap, "1");
    open();
    fail(
      "oops",
      `Error: oops\n    at Page (${address}:1:1)\n    at pad (${address}:2:1)\n    at ${address}:3:1\n    at react (http://x/boot.js:1:1)`,
    );
    const dialog = await screen.findByRole("dialog", { name: "Todo failed in this window" });
    expect(within(dialog).getByText("oops")).toBeTruthy();
    expect(await within(dialog).findByText("app.tsx:3:5", { selector: "p" })).toBeTruthy();
    const source = within(dialog).getByRole("region", { name: "Source" });
    expect(source.textContent).toBe(" 1one 2two> 3Line 3:     throw new Error('oops') 4four 5five");
    const stack = within(within(dialog).getByRole("list", { name: "Stack" })).getAllByRole("listitem");
    expect(stack.map(({ textContent }) => textContent)).toEqual(["Pageapp.tsx:3:5", "(anonymous)app.tsx:5:5"]);
    const link = within(dialog).getByRole("link", { name: "Open in editor" });
    expect(link.getAttribute("href")).toBe("vscode://file/home/ada/my%20todo/app.tsx:3:5");
    expect(within(dialog).getByRole("link", { name: "app.tsx:5:5" }).getAttribute("href")).toBe(
      "vscode://file/home/ada/my%20todo/app.tsx:5:5",
    );
  });

  it("opens the editor that was chosen last", async () => {
    developing();
    const stack = `Error\n    at Page (${serveBundle(kMap, "2")}:1:1)`;
    const { unmount } = open();
    fail("oops", stack);
    await userEvent.selectOptions(await screen.findByRole("combobox", { name: "Editor" }), "WebStorm");
    const isWebStorm = () =>
      expect(screen.getByRole("link", { name: "Open in editor" }).getAttribute("href")).toBe(
        "webstorm://open?file=/home/ada/my%20todo/app.tsx&line=3&column=5",
      );
    isWebStorm();
    unmount();
    open();
    await screen.findByRole("link", { name: "Open in editor" });
    isWebStorm();
  });

  it("asks nothing while nothing fails, and shows nothing of a plugin that nobody develops", async () => {
    developing([], false);
    open();
    expect(asked()).toEqual([]);
    fail("oops");
    await waitFor(() => expect(asked()).toEqual(["/api/v1/plugins/todo/dev-session"]));
    setRecord("degraded: a timer threw");
    await waitFor(() => expect(asked()).toHaveLength(2));
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("shows nothing when the service does not answer", async () => {
    open();
    fail("oops");
    await waitFor(() => expect(asked()).toHaveLength(1));
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("is dismissed with Escape and the button, and comes back with the next failure", async () => {
    developing();
    open();
    fail("first");
    await screen.findByText("first");
    await userEvent.keyboard("{Escape}");
    expect(screen.queryByRole("dialog")).toBeNull();
    fail("second");
    await screen.findByText("second");
    await userEvent.click(screen.getByRole("button", { name: "Dismiss" }));
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("goes when the failure does", async () => {
    developing();
    open();
    fail("oops");
    await screen.findByText("oops");
    act(() => updateDiagnostics("todo", { lastFailure: undefined }));
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("shows a build that fails while the page is open, until it succeeds", async () => {
    developing([{ kind: "app", message: 'app.tsx:24:5: Expected ")" but found ";"' }]);
    open();
    setRecord("frontend bundle build failed: app.tsx:24:5");
    const dialog = await screen.findByRole("dialog", { name: "Todo does not build" });
    expect(within(dialog).getByText("The last version that was built runs on.")).toBeTruthy();
    expect(within(dialog).getByText('app.tsx:24:5: Expected ")" but found ";"')).toBeTruthy();
    const link = await within(dialog).findByRole("link", { name: "Open in editor" });
    expect(link.getAttribute("href")).toBe("vscode://file/home/ada/my%20todo/app.tsx:24:5");
    setRecord(null);
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    // The same mistake again is news, also where it was dismissed.
    setRecord("frontend bundle build failed: app.tsx:24:5");
    await userEvent.click(await screen.findByRole("button", { name: "Dismiss" }));
    developing([{ kind: "app", message: "app.tsx:1:1: another" }]);
    setRecord("frontend bundle build failed: app.tsx:1:1");
    expect(await screen.findByText("app.tsx:1:1: another")).toBeTruthy();
    developing([{ kind: "app", message: "app.tsx:24:5: again" }]);
    setRecord("frontend bundle build failed: app.tsx:24:5");
    expect(await screen.findByText("app.tsx:24:5: again")).toBeTruthy();
  });
});

describe("locate", () => {
  const where = (stack: string) => locate({ kind: "page", message: "oops", stack });

  it("reads stacks of every browser", async () => {
    const address = serveBundle(kMap, "3");
    expect((await where(`Page@${address}:1:1\n@${address}:3:1`)).frames.map(({ name, line }) => [name, line])).toEqual([
      ["Page", 3],
      ["", 5],
    ]);
    expect((await where(`Error\n    at async Object.load (${address}:1:1)`)).frames[0]?.name).toBe("load");
  });

  it("finds nothing where there is no map, no bundle or nothing of the plugin's own", async () => {
    const nowhere = { frames: [], code: [] };
    expect(await where(`Error\n    at a (${serveBundle(null, "4")}:1:1)`)).toEqual(nowhere);
    expect(await where(`Error\n    at a (${kBundle}?h=gone:1:1)`)).toEqual(nowhere);
    expect(await where(`Error\n    at a (${serveBundle({ nonsense: true }, "5")}:1:1)`)).toEqual(nowhere);
    expect(await where(`Error\n    at a (${serveBundle(kMap, "6")}:2:1)`)).toEqual(nowhere);
    expect(await where("Error: no frames")).toEqual(nowhere);
    expect(await locate({ kind: "page", message: "oops", stack: null })).toEqual(nowhere);
    expect(await locate({ kind: "build", message: "the toolchain is missing", stack: null })).toEqual(nowhere);
  });
});
