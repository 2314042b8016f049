import { useState } from "react";

import { kBuiltin } from "@/plugins/exclusive";
import { type FileOpener, fileOpenerKey, useFileOpeners } from "@/plugins/file_openers";
import { Button, DropdownMenu, DropdownMenuContent, DropdownMenuRadioGroup, DropdownMenuRadioItem, DropdownMenuTrigger } from "@/ui";

interface ChosenOpener {
  readonly openers: readonly FileOpener[];
  /** Undefined: the window itself. */
  readonly opener: FileOpener | undefined;
  /** Its key. */
  readonly shown: string;
  /** For this file, as long as it is shown. */
  readonly choose: (key: string) => void;
}

/** What shows a file: what was chosen for this one, else what the settings say of its extension, else the first that can. */
export function useChosenOpener(path: string): ChosenOpener {
  const { openers, preferred } = useFileOpeners(path);
  const [chosen, choose] = useState<string | null>(null);
  const shown = chosen ?? (preferred === undefined ? kBuiltin : fileOpenerKey(preferred));
  return { openers, opener: openers.find((candidate) => fileOpenerKey(candidate) === shown), shown, choose };
}

/** Opens this file with something else; nothing when only the window can. */
export function OpenWith({ openers, shown, choose }: ChosenOpener) {
  if (openers.length === 0) {
    return null;
  }
  return (
    <DropdownMenu>
      <DropdownMenuTrigger asChild>
        <Button size="sm">Open with</Button>
      </DropdownMenuTrigger>
      <DropdownMenuContent>
        <DropdownMenuRadioGroup value={shown} onValueChange={choose}>
          {openers.map((candidate) => (
            <DropdownMenuRadioItem key={fileOpenerKey(candidate)} value={fileOpenerKey(candidate)}>
              {candidate.registration.title} ({candidate.plugin.name})
            </DropdownMenuRadioItem>
          ))}
          <DropdownMenuRadioItem value={kBuiltin}>The window’s own</DropdownMenuRadioItem>
        </DropdownMenuRadioGroup>
      </DropdownMenuContent>
    </DropdownMenu>
  );
}
