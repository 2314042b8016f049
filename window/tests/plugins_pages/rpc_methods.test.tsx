import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { RpcSection } from "@/pages/plugins/detail/rpc_section";
import { asCurl, asSvc, inputFields, shellWord } from "@/pages/plugins/rpc_model";
import { readAnyJson } from "@/pages/plugins/tool_form";

import { FakeService, Refusal } from "./fake_service";
import { pluginRecord } from "./fixtures";
import { renderPage, resetWindow } from "./render_page";

const kAdd = {
  pluginId: "todo",
  method: "todos_add",
  published: true,
  inputSchema: {
    type: "object",
    description: "Adds an entry to the list",
    properties: { title: { type: "string" }, count: { type: "integer" } },
    required: ["title"],
  },
  outputSchema: { type: "object" },
};
const kCount = { pluginId: "todo", method: "todos_count", published: true, inputSchema: { type: "null" } };
const kHidden = { pluginId: "todo", method: "a_hidden", published: false };
const kRoute = "POST /plugins/todo/rpc/";

let service: FakeService;
let methods: object[];
const record = pluginRecord();
const show = (of = record) => renderPage("/", () => <RpcSection record={of} />, "/");
const openMethod = async (name: string) => {
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: `Try the method ${name}` }));
  return user;
};

beforeEach(() => {
  methods = [kAdd, kCount, kHidden];
  service = new FakeService()
    .on("GET /plugins/rpc", ({ query }) => {
      expect(Object.fromEntries(query)).toEqual({ pluginId: "todo", all: "true" });
      return { methods };
    })
    .install();
});
afterEach(resetWindow);

describe("the methods of a plugin", () => {
  it("are listed by name, with what is published and what is said of them", async () => {
    show();
    const rows = await screen.findAllByRole("listitem");
    expect(rows.map((row) => row.querySelector("code")?.textContent)).toEqual(["a_hidden", "todos_add", "todos_count"]);
    expect(rows.map((row) => within(row).queryByText("Published") !== null)).toEqual([false, true, true]);
    expect(screen.getByText("Adds an entry to the list")).toBeTruthy();
  });

  it("are no section for a plugin that has none or does not run", async () => {
    methods = [];
    const { container } = show();
    await waitFor(() => expect(service.requests).toHaveLength(1));
    expect(container.querySelector("h2")).toBeNull();
    show(pluginRecord({ status: "error" }));
    expect(service.requests).toHaveLength(1);
  });

  it("say when they cannot be loaded, and are asked for again", async () => {
    service.on("GET /plugins/rpc", () => {
      throw new Refusal(500, "internal_error", "no methods today");
    });
    show();
    expect(await screen.findByText("no methods today")).toBeTruthy();
    service.on("GET /plugins/rpc", () => ({ methods }));
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    expect(await screen.findByText("todos_add")).toBeTruthy();
  });

  it("are called with what the fields say, and show the result", async () => {
    service.on(`${kRoute}todos_add`, () => ({ result: { id: 7 } }));
    show();
    const user = await openMethod("todos_add");
    await user.type(screen.getByLabelText("title (required)"), "tea");
    await user.type(screen.getByLabelText("count"), "2{Enter}");
    const outcome = await screen.findByText(/^It answered after/);
    expect(outcome.closest("[role=status]")?.textContent).toContain('"id": 7');
    expect(service.bodies(`${kRoute}todos_add`)).toEqual([{ title: "tea", count: 2 }]);
  });

  it("take nothing where the schema says so", async () => {
    service.on(`${kRoute}todos_count`, () => ({ result: 3 }));
    show();
    const user = await openMethod("todos_count");
    expect(screen.getByText("It takes no input.")).toBeTruthy();
    expect(screen.queryByRole("textbox")).toBeNull();
    await user.click(screen.getByRole("button", { name: "Call" }));
    await screen.findByText(/^It answered after/);
    expect(service.bodies(`${kRoute}todos_count`)).toEqual([null]);
  });

  it("take any JSON where there is no schema, and say when it is none", async () => {
    service.on(`${kRoute}a_hidden`, () => ({ result: null }));
    show();
    const user = await openMethod("a_hidden");
    const json = screen.getByLabelText("Input of a_hidden as JSON");
    await user.type(json, "[[1");
    await user.click(screen.getByRole("button", { name: "Call" }));
    expect(screen.getByRole("alert").textContent).toBe("The input is not JSON.");
    await user.type(json, "]");
    await user.click(screen.getByRole("button", { name: "Call" }));
    await screen.findByText(/^It answered after/);
    expect(service.bodies(`${kRoute}a_hidden`)).toEqual([[1]]);
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("show why a call failed, with the values that were refused", async () => {
    service.on(`${kRoute}todos_add`, () => {
      throw new Refusal(400, "invalid_input", "rpc input validation failed", {
        issues: [{ message: "Too short", path: ["title"] }, { message: "Unknown" }],
      });
    });
    show();
    const user = await openMethod("todos_add");
    await user.click(screen.getByRole("button", { name: "Call" }));
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("rpc input validation failed");
    expect(screen.getByText("Too short").textContent).toBe("title: Too short");
    expect(screen.getByText("Unknown").textContent).toBe("Unknown");
    expect(screen.getByText("invalid_input")).toBeTruthy();
  });

  it("can be stopped", async () => {
    service.on(`${kRoute}todos_count`, () => new Promise(() => undefined));
    show();
    const user = await openMethod("todos_count");
    await user.click(screen.getByRole("button", { name: "Call" }));
    await user.click(await screen.findByRole("button", { name: "Stop" }));
    await waitFor(() => expect(screen.queryByRole("button", { name: "Stop" })).toBeNull());
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("are copied as lines for a shell, and not while the input cannot be read", async () => {
    show();
    const user = await openMethod("todos_add");
    await user.type(screen.getByLabelText("title (required)"), "it's tea");
    await user.click(screen.getByRole("button", { name: "Copy as curl" }));
    expect(await navigator.clipboard.readText()).toBe(
      `curl -sS -X POST ${document.baseURI}api/v1/plugins/todo/rpc/todos_add -H 'content-type: application/json' -d '{"title":"it'\\''s tea"}'`,
    );
    await user.click(screen.getByRole("button", { name: "Copy as svc" }));
    expect(await navigator.clipboard.readText()).toBe(`svc plugin rpc call todo todos_add '{"title":"it'\\''s tea"}'`);
    await user.type(screen.getByLabelText("count"), "x");
    await act(() => user.click(screen.getByRole("button", { name: "Copy as svc" })));
    expect(screen.getByRole("alert").textContent).toBe("count is not a number.");
    expect(await navigator.clipboard.readText()).toContain("it'");
  });
});

describe("a line for a shell", () => {
  it("quotes what a shell would read otherwise", () => {
    expect(["plain/x-1.json", "a b", "$HOME", "it's", ""].map(shellWord)).toEqual([
      "plain/x-1.json",
      "'a b'",
      "'$HOME'",
      `'it'\\''s'`,
      "''",
    ]);
  });

  it("has no input where there is none", () => {
    const method = { pluginId: "todo", method: "m", published: true };
    expect(asCurl("http://h/api", null)).toBe("curl -sS -X POST http://h/api");
    expect(asSvc(method, null)).toBe("svc plugin rpc call todo m");
    expect(asSvc(method, 0)).toBe("svc plugin rpc call todo m 0");
  });
});

describe("the input of a method", () => {
  it("has fields where its schema says which", () => {
    expect(inputFields({ ...kHidden })).toBeNull();
    expect(inputFields({ ...kCount })).toEqual([]);
    expect(inputFields({ ...kAdd })?.map(({ name }) => name)).toEqual(["title", "count"]);
    expect(inputFields({ ...kHidden, inputSchema: { type: "array" } })).toBeNull();
  });

  it("is any JSON, and null where nothing is written", () => {
    expect(readAnyJson(" ")).toEqual({ value: null });
    expect(readAnyJson("[1]")).toEqual({ value: [1] });
    expect(readAnyJson("{")).toEqual({ problem: "The input is not JSON." });
  });
});
