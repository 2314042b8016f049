import { useState } from "react";

import type { PluginRecord } from "@/api/records";
import { Banner, Button, Dialog, ErrorNotice } from "@/ui";

import { readToken } from "@/pages/plugins/actions";
import { CopyButton } from "@/ui/copy_button";

export interface TokenDialogProps {
  record: PluginRecord;
  open: boolean;
  onOpenChange(open: boolean): void;
}

/** Shows the token of the plugin's HTTP routes when asked to, and replaces it. It is held by this dialog only. */
export function TokenDialog(props: TokenDialogProps) {
  return props.open ? <OpenDialog {...props} /> : null;
}

function OpenDialog({ record, onOpenChange }: TokenDialogProps) {
  const [token, setToken] = useState<string | null>(null);
  const [busy, setBusy] = useState<"show" | "rotate" | null>(null);
  const [isRotating, setRotating] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);

  const read = async (rotate: boolean) => {
    setBusy(rotate ? "rotate" : "show");
    setFailure(null);
    try {
      setToken(await readToken(record.id, rotate));
      setRotating(false);
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(null);
    }
  };
  return (
    <Dialog
      open
      onOpenChange={onOpenChange}
      title={`Token of ${record.name}`}
      description="Programs outside of this window present it to the plugin's HTTP routes that ask for a token."
      footer={<Button onClick={() => onOpenChange(false)}>Close</Button>}
    >
      <div className="flex flex-col gap-4 pb-3 text-sm">
        {token === null ? (
          <Button className="self-start" isBusy={busy === "show"} onClick={() => void read(false)}>
            Show the token
          </Button>
        ) : (
          <div className="flex min-w-0 items-center gap-1 rounded-md bg-surface-recessed-solid py-1 pr-1 pl-3">
            <code aria-label="Token" className="min-w-0 flex-1 text-xs break-all">
              {token}
            </code>
            <CopyButton text={token} label="Copy the token" />
          </div>
        )}
        {isRotating ? (
          <Banner
            tone="warning"
            role="alert"
            title="Replace the token?"
            actions={
              <>
                <Button size="sm" onClick={() => setRotating(false)}>
                  Keep it
                </Button>
                <Button size="sm" variant="destructive" isBusy={busy === "rotate"} onClick={() => void read(true)}>
                  Replace
                </Button>
              </>
            }
          >
            Programs that use the present one are refused from the next request on.
          </Banner>
        ) : (
          <Button variant="link" className="min-h-6 self-start pointer-coarse:min-h-11" onClick={() => setRotating(true)}>
            Replace the token…
          </Button>
        )}
        {failure !== null && <ErrorNotice title="The token could not be read" error={failure} />}
      </div>
    </Dialog>
  );
}
