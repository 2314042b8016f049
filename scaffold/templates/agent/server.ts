import type { SvcPluginApi } from "@get-svc/plugin-sdk";
import { z } from "zod";

export default function plugin(svc: SvcPluginApi): void {
  const read = async (): Promise<string[]> => (await svc.storage.kv.get<string[]>("facts")) ?? [];

  // Agents see the tools of all plugins side by side, so their names begin with the plugin's.
  svc.agents.registerTool({
    name: "{{tool}}_remember",
    description: "Keeps a fact for later threads. Use it when the user asks you to remember something. Answers with the number of facts.",
    parameters: z.object({ fact: z.string().min(1).max(500).describe("One sentence") }),
    execute: async ({ fact }) => {
      const facts = [...(await read()), fact];
      await svc.storage.kv.set("facts", facts);
      return `${facts.length} facts are kept.`;
    },
  });
  svc.agents.registerTool({
    name: "{{tool}}_recall",
    description: "The facts that were kept, oldest first. Use it before you ask the user something that may be known.",
    parameters: z.object({}),
    execute: async () => (await read()).join("\n") || "Nothing was kept yet.",
  });

  // For people: what the agents know.
  svc.cli.register({
    name: "{{id}}",
    summary: "What agents remember",
    commands: [{ name: "list", summary: "Show the facts", usage: "svc {{id}} list" }],
    async run([command]) {
      return command === "list"
        ? { exitCode: 0, stdout: (await read()).map((fact) => `${fact}\n`).join("") }
        : { exitCode: 2, stderr: "Usage: svc {{id}} list\n" };
    },
  });
}
