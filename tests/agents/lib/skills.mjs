// Skills where an agent looks for them: put there by `svc skill sync` where that exists, else copied from the plugin.
import { cpSync } from "node:fs";
import { join } from "node:path";

import { kTodo } from "./service.mjs";

export const hasSkillCommand = async (service) => (await service.svc("skill", "sync", "--help")).stdout.includes("--agent");

export async function provideSkills(agent, service) {
  if (await hasSkillCommand(service)) {
    await service.mustRun("skill", "sync", "--agent", agent.name);
    return;
  }
  cpSync(join(kTodo, "skills"), join(service.home, agent.skills), { recursive: true });
}
