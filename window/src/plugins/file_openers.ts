import { useMemo } from "react";

import { kBuiltin } from "./exclusive";
import { useRegistrations } from "./registry";

import { ownMember } from "@/lib/own";
import { usePreference } from "@/lib/preferences";

/** Preference: what opens files with an extension, `<pluginId>/<id>` or `builtin`. */
export const kFileOpenersKey = "file-openers";
export const kNoFileOpeners: Record<string, string> = {};

export type FileOpener = ReturnType<typeof useRegistrations<"fileOpeners">>[number];

export const fileOpenerKey = ({ plugin, registration }: FileOpener) => `${plugin.pluginId}/${registration.id}`;

/** What can open a file, in slot order, and what does: what the user pinned for its extension, else the first; undefined is the window. */
export function useFileOpeners(path: string): { openers: readonly FileOpener[]; preferred: FileOpener | undefined } {
  const registrations = useRegistrations("fileOpeners");
  const [pins] = usePreference(kFileOpenersKey, kNoFileOpeners);
  return useMemo(() => {
    const extension = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase();
    const openers = extension === undefined ? [] : registrations.filter(({ registration }) => registration.extensions.includes(extension));
    const pin = extension === undefined ? undefined : ownMember(pins, extension);
    const preferred = pin === kBuiltin ? undefined : (openers.find((opener) => fileOpenerKey(opener) === pin) ?? openers[0]);
    return { openers, preferred };
  }, [path, registrations, pins]);
}
