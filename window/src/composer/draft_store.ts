import type { ComposerAttachment } from "./attachments";
import type { OwnedMention } from "#sdk/app_policy/composer_text.js";
import type { ComposerDraft } from "./model";
import { restoreUpload } from "./uploads";

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

function isAttachment(value: unknown): value is ComposerAttachment {
  const { key, name, size, isImage } = (value ?? {}) as Partial<Record<keyof ComposerAttachment, unknown>>;
  return typeof key === "string" && typeof name === "string" && typeof size === "number" && typeof isImage === "boolean";
}

/** The draft that this tab kept; undefined when there is none that can be read. */
export function loadDraft(key: string): ComposerDraft | undefined {
  try {
    const kept = JSON.parse(sessionStorage.getItem(kPrefix + key) ?? "null") as Partial<Record<keyof ComposerDraft, unknown>>;
    const { text, mentions, attachments = [] } = kept;
    if (typeof text !== "string" || !Array.isArray(mentions) || !Array.isArray(attachments)) {
      return undefined;
    }
    const files = attachments.filter(isAttachment);
    for (const file of files) {
      restoreUpload(file.key);
    }
    return { text, mentions: mentions.filter((mention) => isMention(mention, text.length)), attachments: files };
  } catch {
    return undefined;
  }
}

/** Keeps a draft for this tab; an empty one is forgotten. */
export function keepDraft(key: string, { text, mentions, attachments }: ComposerDraft): void {
  try {
    if ((text === "" && attachments.length === 0) || text.length > kMaxKept) {
      sessionStorage.removeItem(kPrefix + key);
    } else {
      sessionStorage.setItem(kPrefix + key, JSON.stringify({ text, mentions, attachments }));
    }
  } catch {
    // Storage is full or refused: the draft lasts as long as the page.
  }
}
