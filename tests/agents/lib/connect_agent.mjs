// Tells an agent of the server: with `svc mcp setup` where that exists.
import { appendFileSync } from "node:fs";
import { join } from "node:path";

import { addToJson } from "./files.mjs";

const kBridge = { command: "svc", args: ["mcp"] };

/** What the agents call the two ways, in the file of the user. */
const kFiles = {
  claude: (home, url) =>
    addToJson(join(home, ".claude.json"), "mcpServers", { svc: url ? { type: "http", url } : { type: "stdio", ...kBridge } }),
  codex: (home, url) =>
    appendFileSync(
      join(home, ".codex/config.toml"),
      url ? `[mcp_servers.svc]\nurl = "${url}"\n` : '[mcp_servers.svc]\ncommand = "svc"\nargs = ["mcp"]\n',
    ),
  gemini: (home, url) => addToJson(join(home, ".gemini/settings.json"), "mcpServers", { svc: url ? { httpUrl: url } : kBridge }),
  opencode: (home, url) =>
    addToJson(join(home, ".config/opencode/opencode.json"), "mcp", {
      svc: url ? { type: "remote", url, enabled: true } : { type: "local", command: ["svc", "mcp"], enabled: true },
    }),
  qwen: (home, url) => addToJson(join(home, ".qwen/settings.json"), "mcpServers", { svc: url ? { httpUrl: url } : kBridge }),
  copilot: (home, url) =>
    addToJson(join(home, ".copilot/mcp-config.json"), "mcpServers", {
      svc: url ? { type: "http", url, tools: ["*"] } : { type: "local", ...kBridge, tools: ["*"] },
    }),
};

/** `url`: of the server, for agents that speak HTTP; the others start `svc mcp`. */
export async function connectAgent(agent, service, url) {
  if ((await service.svc("mcp", "setup", "--help")).stdout.includes("--write")) {
    const server = url ? ["--server", url] : [];
    await service.mustRun(...server, "mcp", "setup", agent.name, "--write", ...(url ? ["--http"] : []));
    return;
  }
  kFiles[agent.name](service.home, url && `${url}/api/v1/mcp`);
}
