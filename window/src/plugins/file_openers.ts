import { registrationsNow } from "./registry";

import { kBuiltin } from "./exclusive";
import { readPreference } from "@/lib/preferences";

/** Preference: what opens files with an extension, `<pluginId>/<id>` or `builtin`. */
export const kFileOpenersKey = "file-openers";
export const kNoFileOpeners: Record<string, string> = {};

/** What opens a file: what the user pinned for its extension, else the first that takes it; undefined is the window's own view. */
export function fileOpenerFor(path: string) {
  const extension = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase();
  if (extension === undefined) {
    return undefined;
  }
  const pin = readPreference(kFileOpenersKey, kNoFileOpeners)[extension];
  if (pin === kBuiltin) {
    return undefined;
  }
  const openers = registrationsNow("fileOpeners").filter(({ registration }) => registration.extensions.includes(extension));
  return openers.find(({ plugin, registration }) => `${plugin.pluginId}/${registration.id}` === pin) ?? openers[0];
}
