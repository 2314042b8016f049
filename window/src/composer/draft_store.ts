import type { OwnedMention } from "./mentions";
import type { ComposerDraft } from "./model";

const kPrefix = "svc.draft.";
/** Characters of a draft that are kept when the page is loaded again; a longer one lives as long as the page. */
const kMaxKept = 200_000;

function isMention(value: unknown, size: number): value is OwnedMention {
  const { provider, id, label, start, end, pluginId = "" } = (value ?? {}) as Partial<Record<keyof OwnedMention, unknown>>;
  const { resource } = (value ?? {}) as { resource?: { kind?: unknown } };
  if (resource !== undefined && typeof resource?.kind !== "string") {
    return false;
  }
  const isText = [provider, id, label, pluginId].every((field) => typeof field === "string");
  return (
    isText &&
    Number.isInteger(start) &&
    Number.isInteger(end) &&
    0 <= (start as number) &&
    (start as number) < (end as number) &&
    (end as number) <= size
  );
}

/** The draft that this tab kept; undefined when there is none that can be read. */
export function loadDraft(key: string): ComposerDraft | undefined {
  try {
    const { text, mentions } = JSON.parse(sessionStorage.getItem(kPrefix + key) ?? "null") as { text?: unknown; mentions?: unknown };
    if (typeof text !== "string" || !Array.isArray(mentions)) {
      return undefined;
    }
    return { text, mentions: mentions.filter((mention) => isMention(mention, text.length)) };
  } catch {
    return undefined;
  }
}

/** Keeps a draft for this tab; an empty one is forgotten. */
export function keepDraft(key: string, { text, mentions }: ComposerDraft): void {
  try {
    if (text === "" || text.length > kMaxKept) {
      sessionStorage.removeItem(kPrefix + key);
    } else {
      sessionStorage.setItem(kPrefix + key, JSON.stringify({ text, mentions }));
    }
  } catch {
    // Storage is full or refused: the draft lasts as long as the page.
  }
}
