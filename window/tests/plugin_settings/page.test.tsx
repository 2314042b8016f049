import { act, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { type ReactNode, useState } from "react";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { PluginRecord } from "#sdk/record.js";
import { queryClient, queryKeys } from "@/api/queries";
import PluginSettingsPage from "@/pages/plugin_settings";
import type { PluginSettingsAnswer } from "@/api/records";
import { publishPlugins } from "@/plugins/active";

import { activePlugin, kEmptyApp } from "../plugins/fake_plugins";
import { FakeService, Refusal } from "../plugins_pages/fake_service";
import { pluginRecord } from "../plugins_pages/fixtures";
import { renderPage, resetWindow } from "../plugins_pages/render_page";

const schema: PluginSettingsAnswer["schema"] = {
  title: { type: "string", label: "Title", description: "What the page says.", default: "Hello" },
  notes: { type: "string", label: "Notes", experimental_multiline: true },
  apiKey: { type: "string", label: "API key", secret: true },
  verbose: { type: "boolean", label: "verbose", default: false },
  mode: { type: "select", label: "Mode", options: ["fast", "slow"], default: "fast" },
  limit: { type: "number", label: "Limit", default: 5 },
};

let service: FakeService;
let record: PluginRecord;
let view: PluginSettingsAnswer;

beforeEach(() => {
  record = pluginRecord({ hasSettings: true });
  view = { schema, values: { title: "Hello", apiKey: { set: false }, verbose: false, mode: "fast", limit: 5 } };
  service = new FakeService()
    .on("GET /plugins", () => ({ plugins: [record] }))
    .on("GET /plugins/todo", () => ({ plugin: record }))
    .on("GET /plugins/todo/settings", () => view)
    .on("PUT /plugins/todo/settings", ({ body }) => {
      const { values } = body as { values: Record<string, never> };
      if ("limit" in values && values.limit !== null && Number(values.limit) > 10) {
        throw new Refusal(400, "invalid_input", "the settings are not valid", {
          issues: [{ message: "At most 10", path: ["values", "limit"] }],
        });
      }
      const shown = Object.fromEntries(
        Object.entries(values).map(([key, value]) => [key, key === "apiKey" ? { set: value !== null } : (value ?? schema[key]?.default)]),
      );
      view = { schema, values: { ...view.values, ...(shown as PluginSettingsAnswer["values"]) } };
      return view;
    })
    .install();
});
afterEach(resetWindow);

const show = () => renderPage("/settings/plugins/:pluginId", PluginSettingsPage, "/settings/plugins/todo");
const saves = () => service.bodies("PUT /plugins/todo/settings");

describe("the plugin's own sections", () => {
  const publish = (component: () => ReactNode) =>
    publishPlugins([
      activePlugin("todo", {
        app: { ...kEmptyApp, settingsSections: [{ id: "s", title: "Import", description: "From a file.", component }] } as never,
      }),
    ]);
  const region = () => screen.queryByRole("region", { name: "Import" });
  afterEach(() => publishPlugins([]));

  it("have neither heading nor description while they render nothing, and are containers to measure", async () => {
    let set: (text: string | null) => void = () => undefined;
    publish(() => {
      const [text, setText] = useState<string | null>(null);
      set = setText;
      return text;
    });
    show();
    await screen.findByRole("textbox", { name: "Title" });
    expect(region()).toBeNull();
    act(() => set("Choose a file"));
    await waitFor(() => expect(region()?.textContent).toBe("ImportFrom a file.Choose a file"));
    expect(region()!.querySelector(".\\@container")!.textContent).toBe("Choose a file");
    act(() => set(null));
    await waitFor(() => expect(region()).toBeNull());
  });

  it("are not there while the plugin does not run", async () => {
    record = pluginRecord({ hasSettings: true, status: "error", statusDetail: "boom" });
    publish(() => "Choose a file");
    show();
    expect(await screen.findByText(/The settings are not available/)).toBeTruthy();
    expect(region()).toBeNull();
  });
});

describe("the settings page", () => {
  it("has a control for every kind of setting", async () => {
    show();
    expect(await screen.findByRole("textbox", { name: "Title" })).toHaveProperty("value", "Hello");
    expect(screen.getByRole("textbox", { name: "Title" }).getAttribute("aria-describedby")).toBeTruthy();
    expect(screen.getByRole("textbox", { name: "Notes" }).tagName).toBe("TEXTAREA");
    expect(screen.getByRole("switch", { name: "Verbose" })).toBeTruthy();
    expect(screen.getByRole("combobox", { name: "Mode" })).toBeTruthy();
    expect(screen.getByLabelText("API key").getAttribute("type")).toBe("password");
    expect(screen.getByText("Not set")).toBeTruthy();
  });

  it("saves text on blur and a switch at once", async () => {
    show();
    const title = await screen.findByRole("textbox", { name: "Title" });
    await userEvent.clear(title);
    await userEvent.type(title, "Hey");
    await userEvent.tab();
    await waitFor(() => expect(saves()).toEqual([{ values: { title: "Hey" } }]));
    expect(await screen.findByText("Saved")).toBeTruthy();
    await userEvent.click(screen.getByRole("switch", { name: "Verbose" }));
    await waitFor(() => expect(saves().at(-1)).toEqual({ values: { verbose: true } }));
    await userEvent.click(screen.getByRole("button", { name: "Reset to default", description: "Title" }));
    await waitFor(() => expect(saves().at(-1)).toEqual({ values: { title: null } }));
    await waitFor(() => expect(title).toHaveProperty("value", "Hello"));
  });

  it("keeps a refused draft with the server's issue and does not send it again", async () => {
    show();
    const limit = await screen.findByRole("textbox", { name: "Limit" });
    await userEvent.clear(limit);
    await userEvent.type(limit, "50{Enter}");
    expect(await screen.findByRole("alert")).toHaveProperty("textContent", "At most 10");
    expect(limit.getAttribute("aria-invalid")).toBe("true");
    await userEvent.tab();
    await userEvent.click(limit);
    await userEvent.tab();
    expect(limit).toHaveProperty("value", "50");
    expect(saves().filter((body) => JSON.stringify(body).includes("50"))).toHaveLength(1);
  });

  it("writes a secret and keeps it nowhere", async () => {
    show();
    await userEvent.type(await screen.findByLabelText("API key"), "s3cret");
    expect(document.body.innerHTML).not.toContain("s3cret");
    await userEvent.click(screen.getByRole("button", { name: "Save", description: "API key" }));
    expect(await screen.findByText("Set")).toBeTruthy();
    expect(saves()).toEqual([{ values: { apiKey: "s3cret" } }]);
    expect(screen.getByLabelText("API key")).toHaveProperty("value", "");
    const cached = [
      ...queryClient
        .getQueryCache()
        .getAll()
        .map(({ state }) => state.data),
      ...queryClient.getMutationCache().getAll(),
    ];
    expect(JSON.stringify(cached)).not.toContain("s3cret");
    await userEvent.click(screen.getByRole("button", { name: "Clear", description: "API key" }));
    expect(await screen.findByText("Not set")).toBeTruthy();
  });

  it("takes over what another window saved, except in the field that is being edited", async () => {
    show();
    const title = await screen.findByRole("textbox", { name: "Title" });
    await userEvent.type(title, " you");
    view = { schema, values: { ...view.values, title: "Theirs", limit: 7 } };
    await act(() => queryClient.invalidateQueries({ queryKey: queryKeys.pluginSettings("todo") }));
    await waitFor(() => expect(screen.getByRole("textbox", { name: "Limit" })).toHaveProperty("value", "7"));
    expect(title).toHaveProperty("value", "Hello you");
  });

  it("says in one line why there is no form", async () => {
    record = pluginRecord({ status: "error", statusDetail: "boom\nmore" });
    show();
    expect(await screen.findByText(/not available while the status is Error: boom\./)).toBeTruthy();
    expect(screen.queryByRole("textbox")).toBeNull();
  });

  it("lets a long form be searched", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [`key${index}`, { type: "string" as const, label: `Field ${index}` }]),
    );
    view = { schema: many, values: {} };
    show();
    await userEvent.type(await screen.findByRole("searchbox", { name: "Search settings" }), "field 299");
    await waitFor(() => expect(screen.getAllByRole("textbox")).toHaveLength(1));
    expect(screen.getByRole("textbox", { name: "Field 299" })).toBeTruthy();
  });
});
