import { type FormEvent, useState } from "react";

import { RadioList } from "@/ui/radio_list";

import type { RepositoryEntry } from "./install_model";

export interface InstallChoiceProps {
  /** Of the form element, for a submit button outside of it. */
  id: string;
  entries: readonly RepositoryEntry[];
  onChoose(name: string): void;
}

/** Which of the plugins that a repository lists is installed. */
export function InstallChoice({ id, entries, onChoose }: InstallChoiceProps) {
  const [name, setName] = useState(entries[0]?.name ?? "");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onChoose(name);
  };
  return (
    <form id={id} onSubmit={submit} className="pb-3">
      <RadioList
        legend="Plugins of this repository"
        value={name}
        onValueChange={setName}
        options={entries.map((entry) => ({ value: entry.name, label: entry.name, hint: entry.source }))}
      />
    </form>
  );
}
