import { useId, useState } from "react";

import { useSystemConfig } from "@/api/queries";
import { url } from "@/lib/address";
import { CommandLine } from "@/ui/command_line";
import { CopyButton } from "@/ui/copy_button";
import { Card, Section, Select } from "@/ui";

import { kClientForms, setupCommand } from "./client_forms";

const kWays = [
  { value: "stdio", label: "the program svc mcp" },
  { value: "http", label: "the address of the server" },
];

/** What to do so that a client gets the tools of the plugins. */
export function ConnectSection() {
  const id = useId();
  const [client, setClient] = useState(kClientForms[0]!.id);
  const [way, setWay] = useState("stdio");
  const form = kClientForms.find((known) => known.id === client)!;
  const isHttp = way === "http";
  const server = useSystemConfig().data;
  const connection = { url: isHttp ? url("/api/v1/mcp") : null, dataDir: server?.dataDir, cliPath: server?.cliPath };
  const snippet = form.snippet(connection);
  return (
    <Section
      title="Connect a client"
      description="Coding agents and other programs that speak the Model Context Protocol get every tool and command of your plugins."
    >
      <Card className="flex flex-col gap-4 p-4">
        <div className="grid gap-3 sm:grid-cols-2">
          <div className="flex min-w-0 flex-col gap-1">
            <label htmlFor={`${id}-client`} className="text-sm font-medium">
              Client
            </label>
            <Select
              id={`${id}-client`}
              value={client}
              onValueChange={setClient}
              options={kClientForms.map(({ id: value, name }) => ({ value, label: name }))}
            />
          </div>
          <div className="flex min-w-0 flex-col gap-1">
            <label htmlFor={`${id}-way`} className="text-sm font-medium">
              Connects by
            </label>
            <Select id={`${id}-way`} value={way} onValueChange={setWay} options={kWays} />
          </div>
        </div>
        {form.file !== "" && (
          <div className="flex min-w-0 flex-col gap-1.5">
            <p className="text-sm text-muted-foreground">In a terminal, which adds it and keeps the rest of the file:</p>
            <CommandLine text={setupCommand(form.id, connection)} />
          </div>
        )}
        <div className="flex min-w-0 flex-col gap-1.5">
          <p className="text-sm text-pretty wrap-anywhere text-muted-foreground">
            {form.file === "" ? (
              "In the configuration of the client:"
            ) : (
              <>
                Or by hand in <code>{form.file}</code>, for one project in <code>{form.projectFile}</code>:
              </>
            )}
          </p>
          <div className="relative min-w-0">
            <pre
              aria-label={`Configuration of ${form.name}`}
              tabIndex={0}
              className="overflow-x-auto rounded-md bg-surface-recessed-solid py-2 pr-12 pl-3 font-mono text-xs"
            >
              {snippet}
            </pre>
            <div className="absolute top-1 right-1">
              <CopyButton text={snippet} label="Copy the configuration" />
            </div>
          </div>
        </div>
      </Card>
    </Section>
  );
}
