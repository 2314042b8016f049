import { useId, useState } from "react";

import { createMcpToken } from "@/api/mcp";
import { usePlugins } from "@/api/queries";
import { CopyButton } from "@/ui/copy_button";
import { RadioList } from "@/ui/radio_list";
import { TextField } from "@/ui/text_field";
import { Button, Checkbox, Dialog, ErrorNotice } from "@/ui";

/** `lim.mcpTokenName`, in characters. */
const kNameMax = 100;

export interface TokenDialogProps {
  open: boolean;
  onOpenChange(open: boolean): void;
}

/** Makes a token and shows its secret, once. */
export function TokenDialog(props: TokenDialogProps) {
  // Every opening begins anew.
  return props.open ? <OpenDialog {...props} /> : null;
}

function OpenDialog({ onOpenChange }: TokenDialogProps) {
  const formId = useId();
  const plugins = usePlugins();
  const [name, setName] = useState("");
  const [scope, setScope] = useState("all");
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [issue, setIssue] = useState<string | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const close = () => onOpenChange(false);
  const needsPlugin = scope === "some" && chosen.length === 0;

  const create = async () => {
    const wanted = name.trim();
    if (wanted === "") {
      setIssue("A token needs a name.");
      return;
    }
    if (needsPlugin) {
      return;
    }
    setBusy(true);
    setFailure(null);
    try {
      setSecret(await createMcpToken({ name: wanted, plugins: scope === "some" ? [...chosen] : [], tools: [] }));
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  if (secret !== null) {
    return (
      <Dialog
        open
        onOpenChange={onOpenChange}
        title={`Token ${name.trim()}`}
        description="It is shown this once: the service keeps only its hash."
        footer={<Button onClick={close}>Done</Button>}
      >
        <Secret secret={secret} />
      </Dialog>
    );
  }
  return (
    <Dialog
      open
      onOpenChange={onOpenChange}
      title="New token"
      description="For one client, so that it can be told apart and revoked."
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button variant="primary" type="submit" form={formId} isBusy={isBusy}>
            Create token
          </Button>
        </>
      }
    >
      <form
        id={formId}
        noValidate
        className="flex flex-col gap-4 pb-3 text-sm"
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <TextField
          label="Name"
          value={name}
          autoFocus
          issue={issue}
          placeholder="claude"
          hint="What it is shown as, for example the client it is for."
          onChange={(wanted) => {
            setIssue(null);
            setName(wanted.slice(0, kNameMax));
          }}
        />
        <RadioList
          legend="It is for"
          value={scope}
          onValueChange={setScope}
          options={[
            { value: "all", label: "all tools and commands" },
            { value: "some", label: "those of some plugins" },
          ]}
        />
        {scope === "some" && (
          <fieldset className="flex min-w-0 flex-col gap-1" aria-describedby={needsPlugin ? `${formId}-none` : undefined}>
            <legend className="mb-1 font-medium">Plugins</legend>
            {plugins.data?.map((plugin) => (
              <label key={plugin.id} className="flex min-w-0 items-center gap-2.5 py-1 pointer-coarse:py-2.5">
                <Checkbox
                  checked={chosen.includes(plugin.id)}
                  onCheckedChange={(isChosen) =>
                    setChosen((known) => (isChosen === true ? [...known, plugin.id] : known.filter((id) => id !== plugin.id)))
                  }
                />
                <span className="min-w-0 wrap-anywhere">{plugin.name}</span>
              </label>
            ))}
            {needsPlugin && (
              <p id={`${formId}-none`} className="text-muted-foreground">
                {plugins.data?.length === 0 ? "No plugin is installed." : "Choose at least one."}
              </p>
            )}
          </fieldset>
        )}
        {failure !== null && <ErrorNotice title="The token could not be made" error={failure} />}
      </form>
    </Dialog>
  );
}

function Secret({ secret }: { secret: string }) {
  return (
    <div className="flex min-w-0 flex-col gap-3 pb-3 text-sm">
      <pre
        aria-label="Token"
        tabIndex={0}
        className="rounded-md bg-surface-recessed-solid px-3 py-2 font-mono text-xs whitespace-pre-wrap wrap-anywhere"
      >
        {secret}
      </pre>
      <div className="self-start">
        <CopyButton text={secret} label="Copy the token" isLabelled />
      </div>
      <p className="text-pretty text-muted-foreground">
        A client that connects by the program has it in the variable <code>SVC_MCP_TOKEN</code>, one that uses the address sends the header{" "}
        <code>Authorization: Bearer …</code>.
      </p>
    </div>
  );
}
