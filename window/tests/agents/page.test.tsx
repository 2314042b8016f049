import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { McpCall, McpClients, McpToken } from "@/api/mcp";
import { notificationsNow } from "@/lib/notifications";
import AgentsPage from "@/pages/agents";
import { kClientForms, setupCommand } from "@/pages/agents/client_forms";

import { FakeService, Refusal } from "../plugins_pages/fake_service";
import { renderPage, resetWindow } from "../plugins_pages/render_page";

let service: FakeService;
let tokens: McpToken[];
let clients: McpClients;
let calls: McpCall[];

const token = (name: string, more: Partial<McpToken> = {}): McpToken => ({
  id: `mct_${name}`,
  name,
  restricted: false,
  plugins: [],
  tools: [],
  createdAt: 1,
  lastUsedAt: null,
  ...more,
});

beforeEach(() => {
  tokens = [];
  clients = { enabled: true, clients: [] };
  calls = [];
  service = new FakeService()
    .on("GET /mcp/tokens", () => ({ tokens }))
    .on("GET /mcp/clients", () => clients)
    .on("GET /mcp/calls", () => ({ calls }))
    .on("GET /plugins", () => ({ plugins: [{ id: "todo", name: "Todo list" }] }))
    .install();
});
afterEach(resetWindow);

const show = () => renderPage("/settings/agents", AgentsPage, "/settings/agents");

describe("connecting", () => {
  it("shows the command and the configuration of the chosen client", async () => {
    show();
    expect(await screen.findByText("svc mcp setup claude --write")).toBeTruthy();
    await userEvent.selectOptions(screen.getByLabelText("Client"), "Codex");
    expect(screen.getByText("svc mcp setup codex --write")).toBeTruthy();
    expect(screen.getByLabelText("Configuration of Codex").textContent).toBe(
      '[mcp_servers.svc]\ncommand = "svc"\nargs = ["mcp"]\nenv_vars = ["SVC_SERVER_URL", "SVC_THREAD_ID", "SVC_THREAD_TOKEN"]',
    );
    await userEvent.selectOptions(screen.getByLabelText("Connects by"), "http");
    expect(screen.getByText("svc mcp setup codex --http --write")).toBeTruthy();
    expect(screen.getByLabelText("Configuration of Codex").textContent).toMatch(/^\[mcp_servers\.svc\]\nurl = "http.*\/api\/v1\/mcp"$/);
    await userEvent.selectOptions(screen.getByLabelText("Client"), "Another client");
    expect(screen.queryByText(/svc mcp setup/)).toBeNull();
  });

  it("names the data directory of this server, which may be none that is found without", async () => {
    service.on("GET /system/config", () => ({ dataDir: "/srv/my data" }));
    show();
    expect(await screen.findByText("svc mcp setup claude --data-dir '/srv/my data' --write")).toBeTruthy();
    const configuration = () => screen.getByLabelText(/^Configuration of/).textContent;
    expect(JSON.parse(configuration()!)).toEqual({
      mcpServers: { svc: { type: "stdio", command: "svc", args: ["mcp", "--data-dir", "/srv/my data"] } },
    });
    await userEvent.selectOptions(screen.getByLabelText("Client"), "Codex");
    expect(configuration()).toBe(
      '[mcp_servers.svc]\ncommand = "svc"\nargs = ["mcp", "--data-dir", "/srv/my data"]\nenv_vars = ["SVC_SERVER_URL", "SVC_THREAD_ID", "SVC_THREAD_TOKEN"]',
    );
    await userEvent.selectOptions(screen.getByLabelText("Connects by"), "http");
    expect(screen.getByText("svc mcp setup codex --http --data-dir '/srv/my data' --write")).toBeTruthy();
  });

  it("names the program by its path, which a client that was not started from a shell needs", async () => {
    service.on("GET /system/config", () => ({ dataDir: "/d", cliPath: "/opt/svc/bin/svc" }));
    show();
    await screen.findByText("svc mcp setup claude --data-dir /d --write");
    const configuration = () => screen.getByLabelText(/^Configuration of/).textContent!;
    expect(JSON.parse(configuration())).toEqual({
      mcpServers: { svc: { type: "stdio", command: "/opt/svc/bin/svc", args: ["mcp", "--data-dir", "/d"] } },
    });
    await userEvent.selectOptions(screen.getByLabelText("Client"), "Codex");
    expect(configuration()).toContain('command = "/opt/svc/bin/svc"\n');
    await userEvent.selectOptions(screen.getByLabelText("Client"), "OpenCode");
    expect(configuration()).toContain('"/opt/svc/bin/svc"');
  });

  it("is exactly the path in the shell, whatever its name has", () => {
    expect(setupCommand("claude", { url: null, dataDir: "/srv/it's $HOME" })).toBe(
      "svc mcp setup claude --data-dir '/srv/it'\\''s $HOME' --write",
    );
  });

  it("has a form of each client for either way", () => {
    for (const { id, snippet } of kClientForms.filter(({ id }) => id !== "codex")) {
      expect(JSON.stringify(JSON.parse(snippet({ url: null }))), id).toMatch(/"svc".*"mcp"/);
      expect(JSON.stringify(JSON.parse(snippet({ url: "http://x/api/v1/mcp" }))), id).toContain("http://x/api/v1/mcp");
    }
  });
});

describe("tokens", () => {
  it("are made for some plugins and shown once", async () => {
    service.on("POST /mcp/tokens", () => {
      tokens = [token("desk", { restricted: true, plugins: ["todo"] })];
      return { token: tokens[0], secret: "svc_mcp_abc" };
    });
    show();
    expect(await screen.findByText("No tokens")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "New token" }));
    const dialog = await screen.findByRole("dialog", { name: "New token" });
    await userEvent.click(within(dialog).getByRole("button", { name: "Create token" }));
    expect(within(dialog).getByRole("alert").textContent).toContain("A token needs a name.");
    await userEvent.type(within(dialog).getByLabelText("Name"), " desk ");
    await userEvent.click(within(dialog).getByLabelText("those of some plugins"));
    await userEvent.click(within(dialog).getByRole("button", { name: "Create token" }));
    expect(within(dialog).getByText("Choose at least one.")).toBeTruthy();
    expect(service.bodies("POST /mcp/tokens")).toHaveLength(0);
    await userEvent.click(within(dialog).getByRole("checkbox", { name: "Todo list" }));
    await userEvent.click(within(dialog).getByRole("button", { name: "Create token" }));
    const made = await screen.findByRole("dialog", { name: "Token desk" });
    expect(within(made).getByLabelText("Token").textContent).toContain("svc_mcp_abc");
    expect(service.bodies("POST /mcp/tokens")[0]).toEqual({ name: "desk", plugins: ["todo"], tools: [] });
    await userEvent.click(within(made).getByRole("button", { name: "Done" }));
    expect(await screen.findByText(/plugin todo · never used/)).toBeTruthy();
    expect(screen.queryByText("svc_mcp_abc")).toBeNull();
  });

  it("say why they could not be made", async () => {
    service.on("POST /mcp/tokens", () => {
      throw new Refusal(409, "conflict", 'there is a token "desk" already');
    });
    show();
    await userEvent.click(await screen.findByRole("button", { name: "New token" }));
    await userEvent.type(screen.getByLabelText("Name"), "desk{Enter}");
    expect(await screen.findByText('there is a token "desk" already')).toBeTruthy();
  });

  it("are revoked after a question", async () => {
    tokens = [token("desk", { lastUsedAt: Date.now() - 60_000 })];
    service.on("DELETE /mcp/tokens/mct_desk", () => {
      tokens = [];
      return {};
    });
    show();
    expect((await screen.findByText(/everything · used/)).textContent).toContain("1 minute ago");
    await userEvent.click(screen.getByRole("button", { name: "Revoke desk" }));
    await userEvent.click(await screen.findByRole("button", { name: "Revoke" }));
    expect(await screen.findByText("No tokens")).toBeTruthy();
    expect(notificationsNow().map(({ title }) => title)).toContain("Revoked desk");
  });
});

describe("what happens", () => {
  it("says that nothing does", async () => {
    show();
    expect(await screen.findByText("No client is connected")).toBeTruthy();
    expect(await screen.findByText("Nothing was called yet")).toBeTruthy();
  });

  it("says that clients are not served", async () => {
    clients.enabled = false;
    show();
    expect(await screen.findByText("MCP clients are not served")).toBeTruthy();
  });

  it("shows clients and calls", async () => {
    const now = Date.now();
    clients.clients = [
      {
        id: 1,
        name: "claude-code",
        version: "2.1",
        revision: "2026-07-28",
        transport: "stdio",
        token: "desk",
        threadId: null,
        since: now,
        lastSeenAt: now,
        lastCallAt: now,
        calls: 1,
        streams: 1,
      },
    ];
    const call = { tool: "todo_add", pluginId: "todo", client: "claude-code", token: "desk", startedAt: now };
    calls = [
      { ...call, id: 2, durationMs: null, outcome: "running" },
      { ...call, id: 1, durationMs: 1500, outcome: "failed" },
    ];
    show();
    const client = within(await screen.findByRole("list", { name: "Clients" })).getByRole("listitem");
    expect(client.textContent).toContain("claude-code 2.1");
    expect(client.textContent).toContain("MCP 2026-07-28 · svc mcp · token desk · 1 call");
    expect(client.textContent).toContain("Listening");
    const [running, failed] = within(await screen.findByRole("list", { name: "Recent calls" })).getAllByRole("listitem");
    expect(running!.textContent).toContain("Running");
    expect(failed!.textContent).toContain("1.5 s");
    expect(failed!.textContent).toContain("Failed");
    expect(within(failed!).getByRole("link", { name: "todo" }).getAttribute("href")).toBe("/plugins/todo");
  });

  it("shows the first calls, and all when asked to", async () => {
    calls = Array.from({ length: 25 }, (_, index) => ({
      id: 25 - index,
      tool: `tool${index}`,
      pluginId: null,
      client: null,
      token: null,
      startedAt: Date.now(),
      durationMs: 1,
      outcome: "ok" as const,
    }));
    show();
    const list = await screen.findByRole("list", { name: "Recent calls" });
    expect(within(list).getAllByRole("listitem")).toHaveLength(20);
    await userEvent.click(screen.getByRole("button", { name: "Show all 25" }));
    expect(within(list).getAllByRole("listitem")).toHaveLength(25);
  });

  it("follows by itself", async () => {
    show();
    await screen.findByText("Nothing was called yet");
    calls = [{ id: 1, tool: "todo_add", pluginId: null, client: null, token: null, startedAt: 1, durationMs: 1, outcome: "ok" }];
    await waitFor(() => expect(screen.getByText("todo_add")).toBeTruthy(), { timeout: 10_000 });
  });

  it("says what could not be read", async () => {
    for (const path of ["tokens", "clients", "calls"]) {
      service.on(`GET /mcp/${path}`, () => {
        throw new Refusal(500, "internal_error", "broken");
      });
    }
    show();
    for (const what of ["tokens", "clients", "calls"]) {
      expect(await screen.findByText(`The ${what} could not be read`)).toBeTruthy();
    }
  });
});
