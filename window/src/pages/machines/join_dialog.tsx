import { useId, useState } from "react";

import { createJoinCode, type Host, type JoinCode, useHosts } from "@/api/hosts";
import { baseUrl } from "@/lib/address";
import { CopyButton } from "@/ui/copy_button";
import { TextField } from "@/ui/text_field";
import { Banner, Button, Dialog, ErrorNotice, Spinner } from "@/ui";

import { kNameMax } from "./rename_form";
import { formatCountdown, isLoopback, joinCommand, lifetimeOf } from "./state";
import { useCountdown } from "./use_countdown";

export interface JoinDialogProps {
  open: boolean;
  onOpenChange(open: boolean): void;
  /** The machine that gets a new key; without one a new machine joins. */
  host?: Host;
}

/** Makes a join code, shows what to run on the machine, and waits for it. */
export function JoinDialog(props: JoinDialogProps) {
  // Every opening begins anew.
  return props.open ? <OpenDialog {...props} /> : null;
}

interface HeldCode extends JoinCode {
  /** The end of its time on this computer's steady clock. */
  endsAt: number;
  /** Whether the machine's connection shows that the code was used; one that is connected already shows nothing. */
  isAwaited: boolean;
}

/** How often a machine that is awaited is asked for while the window's own socket is away, in milliseconds. */
const kPollMs = 5000;

function OpenDialog({ onOpenChange, host }: JoinDialogProps) {
  const formId = useId();
  const [name, setName] = useState("");
  const [code, setCode] = useState<HeldCode | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);

  const create = async () => {
    setBusy(true);
    setFailure(null);
    const wanted = name.trim();
    const hostId = host?.id ?? code?.hostId;
    try {
      const made = await createJoinCode({
        ...(hostId === undefined ? {} : { hostId }),
        ...(host !== undefined || wanted === "" ? {} : { name: wanted }),
      });
      setCode({
        ...made,
        endsAt: performance.now() + lifetimeOf(made.expiresAt, Date.now()),
        isAwaited: host === undefined || host.status === "disconnected",
      });
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  const close = () => onOpenChange(false);
  const title = host === undefined ? "Add a machine" : `Join ${host.name} again`;
  if (code !== null) {
    return (
      <Dialog
        open
        onOpenChange={onOpenChange}
        title={title}
        description="Run this command on it."
        footer={<Button onClick={close}>Close</Button>}
      >
        <JoinSteps code={code} isBusy={isBusy} onRenew={() => void create()} />
        {failure !== null && <ErrorNotice title="A new code could not be made" error={failure} />}
      </Dialog>
    );
  }
  return (
    <Dialog
      open
      onOpenChange={onOpenChange}
      title={title}
      description={
        host === undefined
          ? "Plugins can then run their host entries on it."
          : "It gets a new key. The present one stops working once the new one is used."
      }
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button variant="primary" type="submit" form={formId} isBusy={isBusy}>
            Create join code
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
        {host === undefined && (
          <TextField
            label="Name"
            value={name}
            autoFocus
            onChange={(wanted) => setName(wanted.slice(0, kNameMax))}
            issue={null}
            placeholder="The machine's own name"
            hint="You can change it later."
          />
        )}
        <p className="text-muted-foreground">
          The machine needs the program <code>svc-hostd</code>. It connects to this server by itself and opens no port; plugins run there as
          the user who starts it.
        </p>
        {failure !== null && <ErrorNotice title="A join code could not be made" error={failure} />}
      </form>
    </Dialog>
  );
}

/** The command, how long it works, and what the machine has done with it. */
function JoinSteps({ code, isBusy, onRenew }: { code: HeldCode; isBusy: boolean; onRenew(): void }) {
  const left = useCountdown(code.endsAt);
  const host = useHosts({ pollMs: code.isAwaited ? kPollMs : false }).data?.find(({ id }) => id === code.hostId);
  // A window that reaches the server from elsewhere has an address that another machine may use as well.
  const server = code.serverUrl ?? baseUrl.href.replace(/\/+$/, "");
  const command = joinCommand(server, code.joinCode);
  if (code.isAwaited && host?.status === "connected") {
    return (
      <p role="status" className="pb-3 text-sm wrap-anywhere">
        <strong className="font-medium">{host.name}</strong> is connected.
      </p>
    );
  }
  return (
    <div className="flex min-w-0 flex-col gap-3 pb-3 text-sm">
      {left > 0 && (
        <>
          <pre
            aria-label="Command"
            tabIndex={0}
            className="rounded-md bg-surface-recessed-solid px-3 py-2 font-mono text-xs whitespace-pre-wrap wrap-anywhere"
          >
            {command}
          </pre>
          <div className="flex flex-wrap items-center justify-between gap-2">
            <CopyButton text={command} label="Copy the command" isLabelled />
            <p className="text-muted-foreground">
              Works once, for{" "}
              <span role="timer" aria-label="Time left" className="tabular-nums">
                {formatCountdown(left)}
              </span>
            </p>
          </div>
          {isLoopback(new URL(server).hostname) && (
            <Banner tone="warning" title="Another machine cannot use this address">
              <code>{server}</code> means the machine itself. Let the service listen on an address of your network (<code>listen.host</code>{" "}
              and <code>listen.allowedHosts</code> in its configuration) or put a TLS proxy in front of it, and write that address into the
              command.
            </Banner>
          )}
        </>
      )}
      <p role="status" className="flex items-center gap-2 text-muted-foreground">
        {progressOf(host, code.isAwaited, left)}
      </p>
      {left === 0 && (
        <Button className="self-start" isBusy={isBusy} onClick={onRenew}>
          Create a new code
        </Button>
      )}
    </div>
  );
}

function progressOf(host: Host | undefined, isAwaited: boolean, left: number) {
  if (left === 0) {
    return "This code does not work any more.";
  }
  if (!isAwaited) {
    return "Until the code is used, the machine stays connected with its present key.";
  }
  return (
    <>
      <Spinner className="size-4 shrink-0" />
      {host?.lastSeenAt === null ? `${host.name} has joined; waiting for its first connection…` : "Waiting for the machine…"}
    </>
  );
}
