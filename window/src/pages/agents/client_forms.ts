/** How each MCP client is told of the service; `svc mcp setup` writes the same (client/src/mcp_setup). */

export interface Connection {
  /** Over HTTP with this address; null = by the program `svc mcp`. */
  url: string | null;
  /** Where `svc mcp` finds the server; undefined while that is not known. */
  dataDir?: string | undefined;
  /** Where `svc` is: a client that a desktop has started has another PATH than a shell. Undefined or null while that is not known. */
  cliPath?: string | null | undefined;
}

export interface ClientForm {
  id: string;
  name: string;
  file: string;
  projectFile: string;
  snippet(connection: Connection): string;
}

const json = (value: object): string => JSON.stringify(value, null, 2);
const argsOf = ({ dataDir }: Connection): string[] => (dataDir === undefined ? ["mcp"] : ["mcp", "--data-dir", dataDir]);
const programOf = ({ cliPath }: Connection): string => cliPath ?? "svc";
const bridge = (connection: Connection) => ({ command: programOf(connection), args: argsOf(connection) });

const inServers =
  (container: string, entry: (connection: Connection) => object) =>
  (connection: Connection): string =>
    json({ [container]: { svc: entry(connection) } });

const typed = (to: Connection) => (to.url === null ? { type: "stdio", ...bridge(to) } : { type: "http", url: to.url });
const withHttpUrl = (to: Connection) => (to.url === null ? bridge(to) : { httpUrl: to.url });
const plain = (to: Connection) => (to.url === null ? bridge(to) : { url: to.url });

const tomlList = (words: readonly string[]): string => `[${words.map((word) => JSON.stringify(word)).join(", ")}]`;

/** A word of a command line; in quotes where the shell would read something else. */
const shellWord = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** What writes the configuration. It names the server: without, it would be the one of the default data directory. */
export function setupCommand(id: string, { url, dataDir }: Connection): string {
  const http = url === null ? "" : " --http";
  const server = dataDir === undefined ? "" : ` --data-dir ${shellWord(dataDir)}`;
  return `svc mcp setup ${id}${http}${server} --write`;
}

export const kClientForms: readonly ClientForm[] = [
  { id: "claude", name: "Claude Code", file: "~/.claude.json", projectFile: ".mcp.json", snippet: inServers("mcpServers", typed) },
  {
    id: "codex",
    name: "Codex",
    file: "~/.codex/config.toml",
    projectFile: ".codex/config.toml",
    snippet: (to) =>
      `[mcp_servers.svc]\n${to.url === null ? `command = ${JSON.stringify(programOf(to))}\nargs = ${tomlList(argsOf(to))}\nenv_vars = ["SVC_SERVER_URL", "SVC_THREAD_ID", "SVC_THREAD_TOKEN"]` : `url = ${JSON.stringify(to.url)}`}`,
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
    snippet: inServers("mcp", (to) =>
      to.url === null
        ? { type: "local", command: [programOf(to), ...argsOf(to)], enabled: true }
        : { type: "remote", url: to.url, enabled: true },
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
    snippet: inServers("mcpServers", (to) => ({
      ...(to.url === null ? { type: "local", ...bridge(to) } : { type: "http", url: to.url }),
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
