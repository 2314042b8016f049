import { type ReactNode, useId } from "react";

import { kDocs } from "@/lib/docs";
import { navigation, paths } from "@/lib/navigation";
import { CommandLine } from "@/ui/command_line";
import { Button } from "@/ui/button";

interface Step {
  title: string;
  text: ReactNode;
  command?: string;
}

const kSteps: readonly Step[] = [
  {
    title: "Try an example",
    text: "Small plugins that come with the service, each with its source: todos, notes, charts of disks, a timer. They install without a network.",
    command: "svc plugin install todo@examples",
  },
  {
    title: "Write a plugin",
    text: "Makes a folder with a server, a page in this window and tests, and says how to install it.",
    command: "svc plugin new hello",
  },
  {
    title: "Install one that exists",
    text: "From a folder, a git repository or the npm registry. It asks before it runs anything.",
    command: "svc plugin install <path>",
  },
  {
    title: "Let an agent write one",
    text: "Comes with the service: the guide, the reference, checks, and a skill with which agents write, test and install plugins.",
    command: "svc plugin install builtin:plugin-author",
  },
  {
    title: "Let agents work on your machines",
    text: "Comes with the service, too: tools with which agents and MCP clients run commands and read and write files on every machine.",
    command: "svc plugin install builtin:machines",
  },
];

/** What to do with a service that has no plugins yet. */
export function FirstRun() {
  const headingId = useId();
  return (
    <section aria-labelledby={headingId} className="flex flex-col gap-4 rounded-xl border border-border bg-surface-recessed-solid p-5">
      <div>
        <h2 id={headingId} className="text-lg font-semibold">
          No plugins yet
        </h2>
        <p className="mt-1 text-sm text-muted-foreground">
          Plugins bring what this service can do: pages, commands, schedules, tools for agents. Five ways to get the first one:
        </p>
      </div>
      <ol className="grid gap-3 md:grid-cols-2">
        {kSteps.map(({ title, text, command }) => (
          <li key={title} className="flex min-w-0 flex-col gap-2 rounded-lg border border-border-hairline bg-surface-raised-solid p-4">
            <h3 className="text-sm font-medium">{title}</h3>
            <p className="flex-1 text-sm text-muted-foreground">{text}</p>
            {command !== undefined && <CommandLine text={command} />}
          </li>
        ))}
      </ol>
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" onClick={() => navigation.to(paths.browsePlugins())}>
          Browse the examples
        </Button>
        <Button onClick={() => navigation.to(`${paths.plugins()}?install`)}>Install in this window</Button>
        <Button variant="ghost" asChild>
          <a href={kDocs} target="_blank" rel="noopener">
            Read the documentation
          </a>
        </Button>
      </div>
    </section>
  );
}
