/** How each MCP client is told of the service; `svc mcp setup` writes the same (client/src/mcp_setup). */

export interface Connection {
  /** Over HTTP with this address; null = by the program `svc mcp`. */
  url: string | null;
}

export interface ClientForm {
  id: string;
  name: string;
  file: string;
  projectFile: string;
  snippet(connection: Connection): string;
}

const json = (value: object): string => JSON.stringify(value, null, 2);
const bridge = { command: "svc", args: ["mcp"] };

const inServers =
  (container: string, entry: (connection: Connection) => object) =>
  (connection: Connection): string =>
    json({ [container]: { svc: entry(connection) } });

const typed = ({ url }: Connection) => (url === null ? { type: "stdio", ...bridge } : { type: "http", url });
const withHttpUrl = ({ url }: Connection) => (url === null ? bridge : { httpUrl: url });
const plain = ({ url }: Connection) => (url === null ? bridge : { url });

export const kClientForms: readonly ClientForm[] = [
  { id: "claude", name: "Claude Code", file: "~/.claude.json", projectFile: ".mcp.json", snippet: inServers("mcpServers", typed) },
  {
    id: "codex",
    name: "Codex",
    file: "~/.codex/config.toml",
    projectFile: ".codex/config.toml",
    snippet: ({ url }) => `[mcp_servers.svc]\n${url === null ? 'command = "svc"\nargs = ["mcp"]' : `url = ${JSON.stringify(url)}`}`,
  },
  {
    id: "gemini",
    name: "Gemini CLI",
    file: "~/.gemini/settings.json",
    projectFile: ".gemini/settings.json",
    snippet: inServers("mcpServers", withHttpUrl),
  },
  {
    id: "opencode",
    name: "OpenCode",
    file: "~/.config/opencode/opencode.json",
    projectFile: "opencode.json",
    snippet: inServers("mcp", ({ url }) =>
      url === null ? { type: "local", command: ["svc", "mcp"], enabled: true } : { type: "remote", url, enabled: true },
    ),
  },
  {
    id: "qwen",
    name: "Qwen Code",
    file: "~/.qwen/settings.json",
    projectFile: ".qwen/settings.json",
    snippet: inServers("mcpServers", withHttpUrl),
  },
  {
    id: "copilot",
    name: "Copilot CLI",
    file: "~/.copilot/mcp-config.json",
    projectFile: ".github/mcp.json",
    snippet: inServers("mcpServers", ({ url }) => ({
      ...(url === null ? { type: "local", ...bridge } : { type: "http", url }),
      tools: ["*"],
    })),
  },
  {
    id: "vscode",
    name: "VS Code",
    file: "mcp.json of your profile",
    projectFile: ".vscode/mcp.json",
    snippet: inServers("servers", typed),
  },
  { id: "cursor", name: "Cursor", file: "~/.cursor/mcp.json", projectFile: ".cursor/mcp.json", snippet: inServers("mcpServers", plain) },
  { id: "generic", name: "Another client", file: "", projectFile: "", snippet: inServers("mcpServers", plain) },
];
