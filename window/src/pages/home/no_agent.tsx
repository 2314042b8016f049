import { useId } from "react";
import { Link } from "react-router";

import { usePlugins } from "@/api/queries";
import { Icon } from "@/sdk_app/icon";
import { CommandLine } from "@/ui/command_line";
import { paths } from "@/lib/navigation";
import { usePanelRows } from "@/shell/panel_rows";

/** What there is to do where nobody answers messages. */
export function NoAgent() {
  const headingId = useId();
  const { shown } = usePanelRows();
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
          A message can be written and is kept as a draft, but nobody answers it: this version of the service starts no agents. The ones you
          have can use the tools and commands of your plugins: give them this command as an MCP server, or{" "}
          <Link to={paths.agents()} className="underline underline-offset-2">
            see how to connect an agent
          </Link>
          .
        </p>
      </div>
      <CommandLine text="svc mcp" />
      {(shown.length > 0 || commands.length > 0) && <p className="text-sm text-muted-foreground">Plugins work without an agent, too:</p>}
      {shown.length > 0 && (
        <ul aria-label="Pages of plugins" className="grid gap-2 md:grid-cols-2">
          {shown.map(({ key, pluginId, path, title, icon }) => (
            <li key={key} className="min-w-0">
              <Link
                to={paths.pluginPanel(pluginId, path)}
                className="flex min-h-11 items-center gap-3 rounded-lg border border-border-hairline bg-surface-raised-solid px-3 py-2 text-sm transition-colors hover:bg-state-hover [&>svg]:size-4 [&>svg]:shrink-0 [&>svg]:text-muted-foreground"
              >
                <Icon name={icon} pluginId={pluginId} />
                <span className="min-w-0 wrap-anywhere">{title}</span>
              </Link>
            </li>
          ))}
        </ul>
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
