import { useId, useState } from "react";
import { Link } from "react-router";

import { type Host, useFollowHosts, useHosts } from "@/api/hosts";
import { openTerminal, type Terminal } from "@/api/terminals";
import { FolderChooser } from "@/files/folder_chooser";
import { withoutSlash } from "@/files/folder_picker";
import { paths } from "@/lib/navigation";
import { Banner, Button, Dialog, ErrorNotice, Loading, Select } from "@/ui";

export interface OpenTerminalDialogProps {
  open: boolean;
  onOpenChange(open: boolean): void;
  /** Where it begins; default the server's own machine. */
  hostId?: string | undefined;
  /** Default the home of the machine's user. */
  folder?: string | undefined;
  onOpened(terminal: Terminal): void;
}

/** Opens a terminal in a folder that is chosen here. */
export function OpenTerminalDialog(props: OpenTerminalDialogProps) {
  // Every opening begins anew.
  return props.open ? <OpenDialog {...props} /> : null;
}

function OpenDialog({ onOpenChange, hostId, folder, onOpened }: OpenTerminalDialogProps) {
  const hosts = useHosts();
  useFollowHosts();
  const [chosenId, setChosenId] = useState(hostId);
  const [path, setPath] = useState(folder === undefined ? "" : `${withoutSlash(folder)}/`.replace("//", "/"));
  const [failure, setFailure] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const known = hosts.data ?? [];
  const host = known.find(({ id }) => id === chosenId) ?? known[0];

  const open = async () => {
    if (host === undefined || isBusy) {
      return;
    }
    setBusy(true);
    setFailure(null);
    try {
      const terminal = await openTerminal(host.id, path === "" ? null : withoutSlash(path));
      onOpenChange(false);
      onOpened(terminal);
    } catch (error) {
      setFailure(error);
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      onOpenChange={onOpenChange}
      title="Open a terminal"
      description="It runs as the user who runs svc-hostd on the machine, and goes on when you leave its page."
      footer={
        <>
          <Button onClick={() => onOpenChange(false)}>Cancel</Button>
          <Button variant="primary" isBusy={isBusy} disabled={host?.status !== "connected"} onClick={() => void open()}>
            Open terminal
          </Button>
        </>
      }
    >
      <div className="flex min-w-0 flex-col gap-4 pb-1">
        {hosts.isPending ? (
          <Loading />
        ) : host === undefined ? (
          <ErrorNotice title="The machines could not be read" error={hosts.error} onRetry={() => void hosts.refetch()} />
        ) : (
          <>
            <MachineField
              hosts={known}
              host={host}
              onChange={(id) => {
                setChosenId(id);
                // The folders of another machine are others.
                setPath("");
                setFailure(null);
              }}
            />
            {host.status === "connected" && (
              <FolderChooser key={host.id} hostId={host.id} value={path} onChange={setPath} onConfirm={() => void open()} autoFocus />
            )}
          </>
        )}
        {failure !== null && <ErrorNotice title="The terminal could not be opened" error={failure} />}
      </div>
    </Dialog>
  );
}

function MachineField({ hosts, host, onChange }: { hosts: readonly Host[]; host: Host; onChange(id: string): void }) {
  const id = useId();
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        Machine
      </label>
      <Select
        id={id}
        value={host.id}
        onValueChange={onChange}
        options={hosts.map(({ id: value, name, status }) => ({
          value,
          label: status === "connected" ? name : `${name} (not connected)`,
        }))}
      />
      {host.status !== "connected" && (
        <Banner tone="warning" className="mt-1" title={`${host.name} is not connected`}>
          Start <code>svc-hostd</code> on it, or choose another machine. <Link to={paths.machine(host.id)}>About {host.name}</Link>
        </Banner>
      )}
    </div>
  );
}
