import type { PluginRecord } from "#sdk/record.js";

/** Enabled plugins first, each part by name. */
export function sortPlugins(records: readonly PluginRecord[]): PluginRecord[] {
  return [...records].sort(
    (a, b) =>
      Number(b.enabled) - Number(a.enabled) || a.name.localeCompare(b.name, undefined, { sensitivity: "base" }) || a.id.localeCompare(b.id),
  );
}

/** Records in which every word of the query occurs in id, name, description, version or source. */
export function searchPlugins(records: readonly PluginRecord[], query: string): PluginRecord[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return records.filter((record) => {
    const text = [record.id, record.name, record.description, record.version, record.source, record.sourceDisplay].join("\n").toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
