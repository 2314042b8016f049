// Agents that play scripts, for the configuration of a server of a test.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { kRoot } from "./plugins.js";

export interface ScriptedAgents {
  /** The value of `agents` in config.json. */
  readonly config: Record<string, { command: string; args: string[]; displayName: string }>;
  remove(): void;
}

/** One agent for each script, by its name; what scripts say is in tests/support/scripted_agent. */
export function scriptedAgents(scripts: Readonly<Record<string, object>>): ScriptedAgents {
  const folder = mkdtempSync(join(tmpdir(), "svc-e2e-agents-"));
  const program = join(kRoot, "tests/support/scripted_agent/scripted_agent.mjs");
  const config: ScriptedAgents["config"] = {};
  for (const [name, script] of Object.entries(scripts)) {
    const file = join(folder, `${name}.json`);
    writeFileSync(file, JSON.stringify(script));
    config[name] = { command: process.execPath, args: [program, file], displayName: name };
  }
  return { config, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
