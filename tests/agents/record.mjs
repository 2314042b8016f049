// Records a session of a real client for README.md, between the lines that name this: what is typed and what is printed.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { copilot } from "./agents/copilot.mjs";
import { startGate } from "./lib/gate.mjs";
import { kRoot } from "./lib/packages.mjs";
import { kTodo, startService } from "./lib/service.mjs";
import { session } from "./lib/session.mjs";
import { readScript } from "./model/script.mjs";

const kBegin = "<!-- scripts/record-session -->\n";
const kEnd = "<!-- end of the session -->\n";

const service = await startService([kTodo]);
const gate = await startGate();
try {
  await service.mustRun("todo", "add", "buy", "milk");
  const script = readScript("readme");
  const { setup, stdout, stderr } = await session(copilot, script, { service, transport: "stdio", gate, timeoutMs: 180_000 });
  if (script.problems.length > 0 || !script.isFinished) {
    throw new Error(`${script.problems.join("\n")}\n${stdout}${stderr}`);
  }
  const lines = [
    "$ svc mcp setup copilot --write",
    setup.trim().replaceAll(service.home, "~"),
    `$ copilot --allow-all-tools --prompt "${script.prompt}"`,
    stdout.trim(),
    "$ svc todo list",
    (await service.mustRun("todo", "list")).trim(),
  ];
  const readme = join(kRoot, "README.md");
  const [before, rest] = readFileSync(readme, "utf8").split(kBegin);
  const after = rest.split(kEnd)[1];
  writeFileSync(readme, `${before}${kBegin}\n\`\`\`text\n${lines.join("\n")}\n\`\`\`\n\n${kEnd}${after}`);
} finally {
  gate.close();
  await service.close();
}
