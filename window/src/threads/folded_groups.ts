import { usePreference } from "@/lib/preferences";
import type { ThreadGroup } from "./thread_groups";

const kNone: { [key: string]: boolean } = {};

/** Which groups are folded, in this browser; the archive is, until somebody opens it. */
export function useFoldedGroups(): [folded: (group: ThreadGroup) => boolean, toggle: (group: ThreadGroup) => void] {
  const [stored, setStored] = usePreference<{ [key: string]: boolean }>("threads.folded", kNone);
  const folded = ({ key, kind }: ThreadGroup) => stored[key] ?? kind === "archived";
  return [folded, (group) => setStored((current) => ({ ...current, [group.key]: !folded(group) }))];
}
