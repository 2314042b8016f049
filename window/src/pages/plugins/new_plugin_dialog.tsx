import { Dialog } from "@/ui";

import { CommandLine } from "@/ui/command_line";

const kSteps = [
  { text: "Makes a folder with a server, a page in this window and tests:", command: "svc plugin new my-plugin" },
  { text: "Or begins with a copy of an example, which “svc plugin examples” lists:", command: "svc plugin new my-plugin --from notes" },
  { text: "In that folder, builds it and installs it here:", command: "svc plugin install ." },
  { text: "Builds and reloads it at every save:", command: "svc plugin dev" },
] as const;

/** How to make a plugin where no agent can be asked to. */
export function NewPluginDialog({ open, onOpenChange }: { open: boolean; onOpenChange(open: boolean): void }) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="New plugin"
      description="Plugins are made on the command line, on the machine where the server runs."
    >
      <ol className="flex flex-col gap-4">
        {kSteps.map(({ text, command }) => (
          <li key={command} className="flex min-w-0 flex-col gap-2">
            <p className="text-sm text-muted-foreground">{text}</p>
            <CommandLine text={command} />
          </li>
        ))}
      </ol>
    </Dialog>
  );
}
