// One run of a real agent: a home of its own, a model that follows a script, the server as its tool.
import { nodeDirectory, program, ripgrepDirectory } from "./packages.mjs";
import { run } from "./service.mjs";
import { startWire } from "./wire.mjs";
import { startModel } from "../model_server.mjs";
import { claude } from "../agents/claude.mjs";
import { codex } from "../agents/codex.mjs";
import { copilot } from "../agents/copilot.mjs";
import { gemini } from "../agents/gemini.mjs";
import { opencode } from "../agents/opencode.mjs";
import { qwen } from "../agents/qwen.mjs";

export const kAgents = [claude, codex, gemini, opencode, qwen, copilot];
const kNames = process.env.SVC_AGENTS?.split(/\s+/).filter(Boolean);
/** All of them, unless SVC_AGENTS names some. */
export const kWantedAgents = kAgents.filter(({ name }) => kNames === undefined || kNames.includes(name));

/** What `svc mcp setup` and the agent printed, what the agent said to the server over HTTP, and what it asked the model. The home of the server is the agent's,
 *  as on a user's machine. */
export async function session(agent, script, { service, transport, gate, timeoutMs }) {
  const model = await startModel(script);
  const wire = await startWire(service.url);
  try {
    const own = agent.setUp({ home: service.home, model: model.url });
    const server = transport === "HTTP" ? ["--server", wire.url] : [];
    const setup = await service.mustRun(...server, "mcp", "setup", agent.name, "--write", ...(transport === "HTTP" ? ["--http"] : []));
    const env = { ...service.env, ...gate.env, ...own, PATH: [nodeDirectory(), service.env.PATH, ripgrepDirectory()].join(":") };
    const argv = agent.argv((file) => program(agent.name, file), script.prompt);
    const result = await run(argv, { env, cwd: service.work, timeoutMs });
    return { ...result, setup, revisions: wire.revisions(), calls: wire.calls, requests: model.log };
  } finally {
    wire.close();
    model.close();
  }
}
