import { type Host, renameHost } from "@/api/hosts";
import { failureText } from "@/pages/plugins/actions";
import { RenameForm as NameForm } from "@/ui/rename_form";

/** `L:host-name`, in characters. */
export const kNameMax = 100;

/** The name of a machine in an input. */
export function RenameForm({ host, onDone }: { host: Host; onDone(): void }) {
  const save = (name: string) => renameHost(host.id, name).then(() => null, failureText);
  return <NameForm name={host.name} maxLength={kNameMax} onSave={save} onDone={onDone} />;
}
