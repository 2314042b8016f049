import { useId, useState } from "react";

import { api } from "@/api/http";
import { invalidatePlugins } from "@/api/queries";
import { notify } from "@/lib/notifications";
import { Banner, Button, Dialog, ErrorNotice } from "@/ui";

import type { Marketplace } from "./data";
import { counted } from "@/lib/format";
import { TextField } from "@/ui/text_field";

export interface AddMarketplaceDialogProps {
  open: boolean;
  onOpenChange(open: boolean): void;
}

/** Adds a marketplace after its address was confirmed. */
export function AddMarketplaceDialog(props: AddMarketplaceDialogProps) {
  return props.open ? <OpenDialog {...props} /> : null;
}

function OpenDialog({ onOpenChange }: AddMarketplaceDialogProps) {
  const formId = useId();
  const [source, setSource] = useState("");
  const [confirmed, setConfirmed] = useState<string | null>(null);
  const [issue, setIssue] = useState<string | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);

  const next = () => {
    const wanted = source.trim();
    setFailure(null);
    setIssue(wanted === "" ? "Enter the address of a marketplace." : null);
    setConfirmed(wanted === "" ? null : wanted);
  };
  const add = async (wanted: string) => {
    setBusy(true);
    try {
      const { marketplace } = await api<{ marketplace: Marketplace }>("POST", "/marketplaces", { body: { source: wanted }, timeoutMs: 0 });
      invalidatePlugins();
      notify({
        kind: "success",
        title: `Added ${marketplace.name}`,
        description: `It lists ${counted(marketplace.entryCount, "plugin")}.`,
      });
      onOpenChange(false);
    } catch (error) {
      setFailure(error);
      setConfirmed(null);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      onOpenChange={onOpenChange}
      title={confirmed === null ? "Add a marketplace" : "Add this marketplace?"}
      description={confirmed === null ? "A list of plugins at an address." : "The service reads this list now and every two hours."}
      footer={
        confirmed === null ? (
          <>
            <Button onClick={() => onOpenChange(false)}>Cancel</Button>
            <Button variant="primary" type="submit" form={formId}>
              Continue
            </Button>
          </>
        ) : (
          <>
            <Button onClick={() => setConfirmed(null)}>Back</Button>
            <Button variant="primary" isBusy={isBusy} onClick={() => void add(confirmed)}>
              Add marketplace
            </Button>
          </>
        )
      }
    >
      {confirmed === null ? (
        <form
          id={formId}
          noValidate
          className="flex flex-col gap-4 pb-3"
          onSubmit={(event) => {
            event.preventDefault();
            next();
          }}
        >
          <TextField
            label="Source"
            value={source}
            onChange={setSource}
            autoFocus
            issue={issue}
            placeholder="https://example.org/marketplace.json"
            hint={
              <>
                The https address of a <code>marketplace.json</code>, or a git repository or directory that holds one.
              </>
            }
          />
          {failure !== null && <ErrorNotice title="It could not be added" error={failure} />}
        </form>
      ) : (
        <div className="flex flex-col gap-3 pb-3 text-sm">
          <p className="rounded-md bg-surface-recessed-solid px-3 py-2 font-mono text-xs wrap-anywhere">{confirmed}</p>
          <Banner tone="warning">
            Its keeper decides which plugins you are offered. Nothing is installed now, and every install asks you first.
          </Banner>
        </div>
      )}
    </Dialog>
  );
}
