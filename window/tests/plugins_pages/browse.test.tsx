import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { CatalogEntry, Marketplace } from "@/pages/plugins/data";
import PluginsPage from "@/pages/plugins/installed";
import { notificationsNow } from "@/lib/notifications";

import { FakeService, Refusal } from "./fake_service";
import { pluginRecord } from "./fixtures";
import { renderPage, resetWindow } from "./render_page";

const demo: Marketplace = {
  name: "demo",
  displayName: "demo",
  description: null,
  source: "https://example.org/marketplace.json",
  sourceKind: "https",
  entryCount: 1,
  official: false,
  resolvedCommit: null,
  dropped: [{ id: "bad", reason: "source: unknown field" }],
  lastRefreshAt: 1,
  lastAttemptAt: 1,
  lastError: null,
};
const hello: CatalogEntry = {
  entryId: "hello",
  pluginId: "hello",
  marketplace: "demo",
  displayName: "Hello",
  description: "Says hello.",
  icon: null,
  tags: ["greetings"],
  author: { name: "Ada", url: null },
  source: "npm:svc-plugin-hello@^1",
  sourcePage: null,
  installed: false,
  compatible: true,
  incompatibleReason: null,
};

let service: FakeService;
let marketplaces: Marketplace[];

beforeEach(() => {
  marketplaces = [demo];
  service = new FakeService()
    .on("GET /plugins", () => ({ plugins: [] }))
    .on("GET /plugins/install-jobs", () => ({ jobs: [] }))
    .on("GET /system/config", () => ({ dataDir: "/data" }))
    .on("GET /marketplaces", () => ({ marketplaces }))
    .on("GET /plugin-catalog/search", ({ query }) => ({
      results: hello.displayName.toLowerCase().includes(query.get("q") ?? "") ? [hello] : [],
    }))
    .install();
});
afterEach(resetWindow);

const show = () => renderPage("/plugins", PluginsPage, "/plugins?view=browse");

describe("the catalogue", () => {
  it("adds a marketplace only after its address was confirmed", async () => {
    marketplaces = [];
    service.on("POST /marketplaces", () => {
      marketplaces = [demo];
      return { marketplace: demo };
    });
    show();
    await userEvent.click(await screen.findByRole("button", { name: "Add marketplace" }));
    await userEvent.type(await screen.findByLabelText("Source"), "https://example.org/marketplace.json{Enter}");
    expect(await screen.findByRole("heading", { name: "Add this marketplace?" })).toBeTruthy();
    expect(service.bodies("POST /marketplaces")).toEqual([]);
    await userEvent.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Add marketplace" }));
    expect(await screen.findByRole("heading", { name: "Hello" })).toBeTruthy();
    expect(service.bodies("POST /marketplaces")).toEqual([{ source: "https://example.org/marketplace.json" }]);
  });

  it("says in the dialog why a marketplace was refused", async () => {
    service.on("POST /marketplaces", () => {
      throw new Refusal(422, "invalid_input", "marketplace.json: plugins: expected an array");
    });
    show();
    await userEvent.click(await screen.findByRole("button", { name: "Add marketplace" }));
    await userEvent.type(await screen.findByLabelText("Source"), "https://example.org/x{Enter}");
    await userEvent.click(
      within(await screen.findByRole("dialog", { name: "Add this marketplace?" })).getByRole("button", { name: "Add marketplace" }),
    );
    expect(await screen.findByText("marketplace.json: plugins: expected an array")).toBeTruthy();
    expect(screen.getByLabelText("Source")).toHaveProperty("value", "https://example.org/x");
  });

  it("says of an entry whose package was installed without it that it is installed", async () => {
    service.on("GET /plugins", () => ({ plugins: [pluginRecord({ id: "hi", source: "npm:svc-plugin-hello" })] }));
    service.on("GET /plugin-catalog/search", () => ({ results: [{ ...hello, pluginId: "hi", installed: true }] }));
    show();
    expect(await screen.findByRole("link", { name: "Hello is installed: details" })).toBeTruthy();
  });

  it("shows some of a long list, and more on request", async () => {
    const many = Array.from({ length: 130 }, (_, at) => ({ ...hello, entryId: `e${at}`, displayName: `Entry ${at}` }));
    service.on("GET /plugin-catalog/search", () => ({ results: many }));
    show();
    await userEvent.click(await screen.findByRole("button", { name: "Show more: 70 are left" }));
    expect(screen.getAllByRole("heading", { name: /^Entry / })).toHaveLength(120);
    await userEvent.click(screen.getByRole("button", { name: "Show more: 10 are left" }));
    expect(screen.getAllByRole("heading", { name: /^Entry / })).toHaveLength(130);
    expect(screen.queryByRole("button", { name: /^Show more/ })).toBeNull();
  });

  it("leads to the source of what comes with the service, which stays", async () => {
    marketplaces = [demo, { ...demo, name: "examples", source: "builtin:examples", sourceKind: "builtin", dropped: [] }];
    const todo = { ...hello, entryId: "todo", marketplace: "examples", displayName: "Todo", sourcePage: "docs/examples/todo.html#source" };
    service.on("GET /plugin-catalog/search", () => ({ results: [hello, todo] }));
    show();
    const link = await screen.findByRole("link", { name: "View source of Todo" });
    expect(link.getAttribute("href")).toBe("docs/examples/todo.html#source");
    expect(screen.queryByRole("link", { name: "View source of Hello" })).toBeNull();
    expect(screen.getByRole("button", { name: "Remove demo" })).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Remove examples" })).toBeNull();
    expect(screen.queryByRole("button", { name: "Refresh examples" })).toBeNull();
    expect(screen.getByText(/comes with the service/)).toBeTruthy();
  });

  it("leads to what a plugin says of itself, which is looked up without another question", async () => {
    service.on("POST /plugins/install/about", () => {
      throw new Refusal(422, "install_refused", "not there");
    });
    show();
    const link = await screen.findByRole("link", { name: "Hello" });
    expect(link.getAttribute("href")).toBe("/plugins?about=hello%40demo");
    await userEvent.click(link);
    expect(await screen.findByText("not there")).toBeTruthy();
    expect(service.bodies("POST /plugins/install/about")).toEqual([{ source: "hello@demo" }]);
  });

  it("is searched", async () => {
    show();
    await userEvent.type(await screen.findByRole("searchbox", { name: "Search the catalogue" }), "nothing");
    expect(await screen.findByText("No plugin matches “nothing”")).toBeTruthy();
  });

  it("installs an entry with the source that was seen", async () => {
    const resolved = "npm:svc-plugin-hello@1.4.0";
    service
      .on("POST /plugins/install/preview", () => ({
        preview: {
          id: "hello",
          package: "svc-plugin-hello",
          version: "1.4.0",
          source: "hello@demo",
          resolved,
          from: "the npm registry",
          pinned: false,
          confirmedSource: resolved,
          incompatible: null,
          entryId: "hello",
          marketplace: "demo",
          publisher: "Ada",
        },
      }))
      .on("POST /plugin-catalog/install", () => {
        throw new Refusal(422, "install_refused", "hello@demo is npm:svc-plugin-hello@1.5.0 now; look at it again");
      });
    show();
    await userEvent.click(await screen.findByRole("button", { name: "Install Hello" }));
    const dialog = await screen.findByRole("dialog", { name: "Install svc-plugin-hello?" });
    expect(service.bodies("POST /plugins/install/preview")).toEqual([{ source: "hello@demo" }]);
    expect(within(dialog).getByText(resolved)).toBeTruthy();
    const readme = within(dialog).getByRole("link", { name: "What it says of itself" });
    expect(readme.getAttribute("href")).toBe("/plugins?about=hello%40demo");
    await userEvent.click(within(dialog).getByRole("checkbox"));
    await userEvent.click(within(dialog).getByRole("button", { name: "Install" }));
    expect(await screen.findByText(/look at it again/)).toBeTruthy();
    expect(service.bodies("POST /plugin-catalog/install")).toEqual([{ entryId: "hello", marketplace: "demo", confirmedSource: resolved }]);
  });

  it("leads to a plugin that is installed already", async () => {
    service.on("GET /plugins", () => ({
      plugins: [pluginRecord({ id: "hello", catalogEntryId: "hello", catalogMarketplaceName: "demo" })],
    }));
    show();
    expect((await screen.findByRole("link", { name: "Hello is installed: details" })).getAttribute("href")).toBe("/plugins/hello");
  });

  it("says why a plugin cannot run here", async () => {
    service.on("GET /plugin-catalog/search", () => ({ results: [{ ...hello, compatible: false, incompatibleReason: "needs svc ^9" }] }));
    show();
    expect(await screen.findByText("Cannot run here: it needs svc ^9")).toBeTruthy();
  });

  it("keeps showing a marketplace whose refresh failed, with the reason", async () => {
    service.on("POST /marketplaces/demo/refresh", () => {
      marketplaces = [{ ...demo, lastError: "HTTP 404" }];
      return { results: [{ name: "demo", ok: false, error: "https://example.org answered HTTP 404", marketplace: marketplaces[0] }] };
    });
    show();
    await userEvent.click(await screen.findByRole("button", { name: "Refresh demo" }));
    await waitFor(() =>
      expect(notificationsNow()[0]).toMatchObject({ kind: "error", description: "https://example.org answered HTTP 404" }),
    );
    expect(await screen.findByText(/the copy before it is shown: HTTP 404/)).toBeTruthy();
    expect(screen.getByText("bad: source: unknown field")).toBeTruthy();
  });

  it("removes a marketplace after a question", async () => {
    service.on("DELETE /marketplaces/demo", () => {
      marketplaces = [];
      return { removed: "demo" };
    });
    show();
    await userEvent.click(await screen.findByRole("button", { name: "Remove demo" }));
    await userEvent.click(within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Remove" }));
    expect(await screen.findByRole("heading", { name: "No marketplace is configured" })).toBeTruthy();
  });
});
