import type { DirectoryEntry } from "@/api/files";
import { usePreference } from "@/lib/preferences";

export type FileOrder = "name" | "size" | "changed";

export const kFileOrders: readonly { value: FileOrder; label: string }[] = [
  { value: "name", label: "By name" },
  { value: "size", label: "Largest first" },
  { value: "changed", label: "Newest first" },
];

const kByName = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

/** Folders first, then files; what is equal, and what is not known, by name. */
export function inOrder(entries: readonly DirectoryEntry[], order: FileOrder): DirectoryEntry[] {
  const rank = ({ sizeBytes = -1, modifiedAt = -1 }: DirectoryEntry) =>
    order === "size" ? sizeBytes : order === "changed" ? modifiedAt : 0;
  return [...entries].sort(
    (a, b) =>
      Number(b.kind === "directory") - Number(a.kind === "directory") ||
      rank(b) - rank(a) ||
      kByName.compare(a.name, b.name) ||
      (a.name < b.name ? -1 : 1),
  );
}

/** The order that was chosen last, for all folders. */
export function useFileOrder(): [FileOrder, (order: FileOrder) => void] {
  const [kept, keep] = usePreference<FileOrder>("files.order", "name");
  return [kFileOrders.some(({ value }) => value === kept) ? kept : "name", keep];
}
