/** What the tools have in common: where they work, how they fail, and the words of their schemas. */
import type { AgentToolContext, AgentToolResult, Host, JsonSchemaObject, SvcPluginApi } from "@get-svc/plugin-sdk";

import type { Place } from "./files.ts";
import { findMachine, MachineError } from "./machines.ts";

export interface OnMachine {
  machine?: string;
}

export const kMachine = {
  type: "string",
  minLength: 1,
  description: "Name or id of a machine, or the beginning of one (machine_list). Without it the server's own, or the only one there is",
};
const kPlaces = "absolute, or begins with ~/, the home of the daemon's user";

export const pathOf = (what: string, otherwise = ""): object => ({
  type: "string",
  minLength: 1,
  description: `${what}: ${kPlaces}${otherwise}`,
});

export function object(properties: Record<string, object>, required: string[] = []): JsonSchemaObject {
  return { type: "object", properties, required, additionalProperties: false };
}

export interface Definition<Params> {
  name: string;
  description: string;
  instructions?: string;
  label: { pending: string; completed: string };
  glyph: string;
  parameters: JsonSchemaObject;
  /** Arguments are checked against the schema before they come here. */
  execute(params: Params, context: AgentToolContext): Promise<AgentToolResult>;
}

export class Toolbox {
  constructor(private readonly svc: SvcPluginApi) {}

  async hosts(signal: AbortSignal): Promise<Host[]> {
    return this.svc.sdk.hosts.list({ signal });
  }

  async place({ machine }: OnMachine, { signal }: AgentToolContext): Promise<Place> {
    const { sdk } = this.svc;
    return { sdk, machine: await findMachine(sdk, machine, signal), signal };
  }

  add<Params extends object>({ label, glyph, execute, ...rest }: Definition<Params>): void {
    this.svc.agents.registerTool({
      ...rest,
      presentation: { label, icon: { glyph } },
      execute: async (params, context) => {
        try {
          return await execute(params as Params, context);
        } catch (error) {
          // A failure of the machine is an answer, and none of the plugin's own.
          if (error instanceof MachineError) {
            return { content: [{ type: "text", text: error.message }], isError: true };
          }
          throw error;
        }
      },
    });
  }
}
