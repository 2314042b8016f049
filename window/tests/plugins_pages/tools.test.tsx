import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { ToolsSection } from "@/pages/plugins/detail/tools_section";
import { argumentsOf, fieldsOf, readArguments } from "@/pages/plugins/tool_form";

import { FakeService } from "./fake_service";
import { pluginRecord } from "./fixtures";
import { renderPage, resetWindow } from "./render_page";

const kSchema = {
  type: "object",
  properties: {
    title: { type: "string", description: "What to do" },
    count: { type: "integer" },
    urgent: { type: "boolean" },
    list: { enum: ["home", "work"] },
    tags: { type: "array" },
  },
  required: ["title"],
};
const kTool = {
  pluginId: "todo",
  name: "todo_add",
  description: "Adds an entry",
  inputSchema: kSchema,
  offered: true,
  holder: "todo",
  calls: 2,
  errors: 1,
  totalMs: 30,
};

let service: FakeService;
let tools: object[];
const record = pluginRecord({ capabilities: [{ kind: "agent-tool", id: "todo_add", label: "todo_add", detail: null }] });
const show = () => renderPage("/", () => <ToolsSection record={record} />, "/");

beforeEach(() => {
  tools = [kTool];
  service = new FakeService().on("GET /plugins/todo/tools", () => ({ tools })).install();
});
afterEach(resetWindow);

describe("the tools of a plugin", () => {
  it("are listed with their numbers and with who else has a name", async () => {
    tools = [kTool, { ...kTool, name: "add", offered: false, holder: "rival", calls: 0 }];
    show();
    expect(await screen.findByText("2 calls, 15 ms each on average, 1 error")).toBeTruthy();
    expect(screen.getByText("Not offered: rival has the name")).toBeTruthy();
  });

  it("are called with what the fields say, and the result is shown", async () => {
    service.on("POST /plugins/todo/tools/todo_add", () => ({
      content: [
        { type: "text", text: "added tea" },
        { type: "image", data: "b25l", mimeType: "image/png" },
      ],
      isError: false,
      durationMs: 12,
    }));
    show();
    const user = userEvent.setup();
    await user.click(await screen.findByRole("button", { name: "Try todo_add" }));
    await user.type(screen.getByLabelText("title (required)"), "tea");
    await user.type(screen.getByLabelText("count"), "2");
    await user.click(screen.getByRole("switch", { name: "urgent" }));
    await user.selectOptions(screen.getByLabelText("list"), "work");
    await user.click(screen.getByRole("button", { name: "Call" }));
    const outcome = await screen.findByRole("status");
    expect(within(outcome).getByText("The tool answered after 12 ms")).toBeTruthy();
    expect(within(outcome).getByText("added tea")).toBeTruthy();
    expect(within(outcome).getByRole("img").getAttribute("src")).toBe("data:image/png;base64,b25l");
    expect(service.bodies("POST /plugins/todo/tools/todo_add")).toEqual([{ title: "tea", count: 2, urgent: true, list: "work" }]);
  });

  it("take JSON that begins with what the fields had, and say what is wrong with it", async () => {
    service.on("POST /plugins/todo/tools/todo_add", () => ({ content: [{ type: "text", text: "no tea" }], isError: true, durationMs: 1 }));
    show();
    const user = userEvent.setup();
    await user.click(await screen.findByRole("button", { name: "Try todo_add" }));
    await user.type(screen.getByLabelText("title (required)"), "tea");
    await user.click(screen.getByRole("button", { name: "Show JSON" }));
    const json = screen.getByLabelText<HTMLTextAreaElement>("Arguments of todo_add as JSON");
    expect(JSON.parse(json.value)).toEqual({ title: "tea" });
    await user.type(json, "x");
    await user.click(screen.getByRole("button", { name: "Call" }));
    expect(screen.getByRole("alert").textContent).toBe("The arguments are not JSON.");
    await user.type(json, "{Backspace}");
    await user.click(screen.getByRole("button", { name: "Call" }));
    expect(await screen.findByText("The tool answered with an error after 1 ms")).toBeTruthy();
  });

  it("show the form that the tool asks with, until it is answered", async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const write = (line: object) => writer.write(new TextEncoder().encode(`\n${JSON.stringify(line)}\n`));
    service
      .on("POST /plugins/todo/tools/todo_add", ({ query }) => {
        expect(query.get("forms")).toBe("true");
        return new Response(readable);
      })
      .on("GET /plugins/todo", () => ({ plugin: record }))
      .on("GET /mcp/forms/f1", () => ({
        form: {
          id: "f1",
          pluginId: "todo",
          client: null,
          rendererId: "ask",
          title: "Really?",
          data: {},
          createdAt: Date.now(),
          expiresAt: Date.now() + 60_000,
        },
      }))
      .on("POST /mcp/forms/f1/cancel", () => ({}));
    show();
    const user = userEvent.setup();
    await user.click(await screen.findByRole("button", { name: "Try todo_add" }));
    await user.click(screen.getByRole("button", { name: "Call" }));
    await act(() => write({ formId: "f1" }));
    const form = await screen.findByRole("group", { name: "Really?" });
    expect(form.closest("form")).toBeNull();
    await user.click(within(form).getByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(screen.queryByRole("group", { name: "Really?" })).toBeNull());
    expect(service.bodies("POST /mcp/forms/f1/cancel")).toEqual([{}]);
    await act(async () => {
      await write({ ok: true, content: [{ type: "text", text: "left alone" }], isError: false, durationMs: 3 });
      await writer.close();
    });
    expect(await screen.findByText("left alone")).toBeTruthy();
  });

  it("can be stopped", async () => {
    service.on("POST /plugins/todo/tools/todo_add", () => new Promise(() => undefined));
    show();
    const user = userEvent.setup();
    await user.click(await screen.findByRole("button", { name: "Try todo_add" }));
    await user.click(screen.getByRole("button", { name: "Call" }));
    await user.click(await screen.findByRole("button", { name: "Stop" }));
    await waitFor(() => expect(screen.queryByRole("button", { name: "Stop" })).toBeNull());
    expect(screen.queryByText("The tool could not be called")).toBeNull();
  });
});

describe("the form of a tool", () => {
  it("has a field for each property, and none for a schema that does not name them", () => {
    expect(fieldsOf(kSchema)?.map(({ name, kind }) => `${name}:${kind}`)).toEqual([
      "title:text",
      "count:number",
      "urgent:switch",
      "list:choice",
      "tags:json",
    ]);
    expect(fieldsOf({ type: "object" })).toBeNull();
    expect(fieldsOf({ type: "object", additionalProperties: false })).toEqual([]);
  });

  it("says which field cannot be read", () => {
    const fields = fieldsOf(kSchema)!;
    expect(argumentsOf(fields, { title: "", count: "two" })).toEqual({ problem: "count is not a number." });
    expect(argumentsOf(fields, { tags: "[1" })).toEqual({ problem: "tags is not JSON." });
    expect(argumentsOf(fields, { tags: "[1]" })).toEqual({ value: { tags: [1] } });
    expect(readArguments("[]")).toEqual({ problem: "The arguments must be a JSON object." });
    expect(readArguments(" ")).toEqual({ value: {} });
  });
});
