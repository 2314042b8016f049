import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { QueryClientProvider } from "@tanstack/react-query";
import { MemoryRouter } from "react-router";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import type { PluginFileOpenerProps } from "#sdk/app/slots/files.js";
import { queryClient } from "@/api/queries";
import { publishPlugins } from "@/plugins/active";
import { panelSurface } from "@/plugins/right_panel";
import { openThreadFile } from "@/plugins/thread_file";
import ThreadFilePanel from "@/threads/thread_file_panel";

import { activePlugin, kEmptyApp } from "../plugins/fake_plugins";
import { FakeService } from "../plugins_pages/fake_service";
import { threadRecord } from "./fixtures";

vi.mock("@/files/file_preview", () => ({
  FilePreview: (props: object) => <p>{JSON.stringify(props)}</p>,
}));

let environmentId: string | null;

beforeEach(() => {
  localStorage.clear();
  environmentId = "e1";
  new FakeService()
    .on("GET /threads/t1", () => ({ thread: threadRecord({ environmentId }) }))
    .on("GET /environments/e1", () => ({ environment: { id: "e1", hostId: "h1", path: "/work/site" } }))
    .on("GET /threads/t1/storage-location", () => ({ storageRootPath: "/data/t1", hostId: "h0" }))
    .install();
});
afterEach(() => {
  cleanup();
  publishPlugins([]);
  queryClient.clear();
  vi.unstubAllGlobals();
});

function show(file: Parameters<typeof ThreadFilePanel>[0]["file"]) {
  render(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter>
        <ThreadFilePanel threadId="t1" file={file} />
      </MemoryRouter>
    </QueryClientProvider>,
  );
}

it("shows a file of where the thread works, at its line", async () => {
  show({ source: "workspace", path: "src/door.ts", lineNumber: 3 });
  expect(await screen.findByText(JSON.stringify({ hostId: "h1", path: "/work/site/src/door.ts", isSource: true, line: 3 }))).toBeTruthy();
});

it("shows a file of the thread's own folder", async () => {
  show({ source: "thread-storage", path: "notes.md", lineNumber: null });
  expect(await screen.findByText(JSON.stringify({ hostId: "h0", path: "/data/t1/notes.md", isSource: false, line: null }))).toBeTruthy();
});

it("shows a file as the plugin does that opens its kind, and as the window on request", async () => {
  const component = ({ path, source, experimental_lineRange, Original }: PluginFileOpenerProps) => (
    <div>
      <p>seen {JSON.stringify([path, source, experimental_lineRange])}</p>
      <Original />
    </div>
  );
  const opener = { id: "fo", title: "Door view", extensions: ["ts"], component };
  publishPlugins([activePlugin("doors", { app: { ...kEmptyApp, fileOpeners: [opener] } as never })]);
  show({ source: "workspace", path: "src/door.ts", lineNumber: 3 });
  const source = { kind: "workspace", threadId: "t1", environmentId: "e1", projectId: threadRecord().projectId, experimental_hostId: "h1" };
  expect(await screen.findByText(`seen ${JSON.stringify(["src/door.ts", source, { start: 3, end: 3 }])}`)).toBeTruthy();
  expect(screen.getByText(/"path":"\/work\/site\/src\/door.ts"/)).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Open with" }));
  await userEvent.click(await screen.findByRole("menuitemradio", { name: "The window’s own" }));
  expect(screen.queryByText(/^seen/)).toBeNull();
  expect(screen.getByText(/"path":"\/work\/site\/src\/door.ts"/)).toBeTruthy();
});

it("says that there is no folder", async () => {
  environmentId = null;
  show({ source: "workspace", path: "src/door.ts", lineNumber: null });
  expect(await screen.findByText("This thread has no folder now")).toBeTruthy();
});

it("opens one tab for a file, in the panel beside its thread", () => {
  const surface = panelSurface("thread:t1", "threadPanelActions");
  const file = { source: "workspace", path: "src/door.ts", lineNumber: null } as const;
  expect(openThreadFile(surface, "t1", file)).toBe(true);
  expect(openThreadFile(surface, "t1", file)).toBe(true);
  expect(surface.state().tabs.map(({ title }) => title)).toEqual(["door.ts"]);
  expect(surface.state().isOpen).toBe(true);
  expect(openThreadFile(surface, "t1", { ...file, path: "src/" })).toBe(false);
  expect(openThreadFile(panelSurface("p", "fixed"), "t1", file)).toBe(false);
});
