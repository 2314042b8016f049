import { useId } from "react";
import { Link } from "react-router";

import { usePlugins } from "@/api/queries";
import { CommandLine } from "@/ui/command_line";
import { CopyButton } from "@/ui/copy_button";
import { paths } from "@/lib/navigation";

import { AgentStates } from "./agent_states";

/** Of those that machines know by themselves; `svc provider list` has all of them. */
const kAgents = [
  { name: "Claude Code", command: "npm install -g @agentclientprotocol/claude-agent-acp" },
  { name: "Codex", command: "npm install -g @agentclientprotocol/codex-acp" },
  { name: "OpenCode", command: "npm install -g opencode-ai" },
] as const;

const kExample = `"agents": {
  "mine": {
    "displayName": "Mine",
    "command": "my-agent",
    "args": ["--acp"],
    "env": { "MY_AGENT_KEY": "…" }
  }
}`;

/** What there is to do where nobody answers messages. */
export function NoAgent() {
  const headingId = useId();
  const commands = (usePlugins().data ?? []).flatMap(({ enabled, cliCommand }) =>
    enabled && cliCommand !== null && !cliCommand.shadowed ? [cliCommand] : [],
  );
  return (
    <section aria-labelledby={headingId} className="flex min-w-0 flex-col gap-3">
      <div>
        <h2 id={headingId} className="text-sm font-medium">
          No agent is connected
        </h2>
        <p className="mt-1 text-sm text-pretty text-muted-foreground">
          A message can be written and is kept as a draft, but nobody answers it. Agents that this service knows need no setup: install one
          on the server&apos;s machine or another one, sign in with it once in a terminal, and it is offered here.
        </p>
      </div>
      <ul aria-label="Agents that can be installed" className="grid gap-2 md:grid-cols-3">
        {kAgents.map(({ name, command }) => (
          <li key={name} className="flex min-w-0 flex-col gap-1.5 rounded-lg border border-border-hairline bg-surface-raised-solid p-3">
            <h3 className="text-sm font-medium">{name}</h3>
            <CommandLine text={command} />
          </li>
        ))}
      </ul>
      <AgentStates />
      <details className="min-w-0 text-sm">
        <summary className="cursor-pointer text-muted-foreground">Another program that speaks the Agent Client Protocol</summary>
        <p className="mt-2 text-muted-foreground">
          is named under <code>agents</code> in <code>config.json</code> of the service, which it reads while it runs:
        </p>
        <div className="mt-2 flex min-w-0 items-start gap-1 rounded-md bg-surface-recessed-solid py-1 pr-1 pl-3">
          <pre tabIndex={0} aria-label="An agent in config.json" className="min-w-0 flex-1 overflow-x-auto py-1 font-mono text-xs/5">
            {kExample}
          </pre>
          <CopyButton text={kExample} label="Copy the example" />
        </div>
      </details>
      <p className="text-sm text-pretty text-muted-foreground">
        The ones you have can also use the tools and commands of your plugins from outside:{" "}
        <Link to={paths.agents()} className="underline underline-offset-2">
          see how to connect an agent
        </Link>
        .
      </p>
      {commands.length > 0 && (
        <p className="text-sm text-muted-foreground">Plugins work without an agent, too, also with these commands:</p>
      )}
      {commands.length > 0 && (
        <ul aria-label="Commands of plugins" className="flex flex-col gap-1 text-sm">
          {commands.map(({ name, summary }) => (
            <li key={name} className="min-w-0 wrap-anywhere">
              <code>svc {name}</code> {summary !== "" && <span className="text-muted-foreground">– {summary}</span>}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
