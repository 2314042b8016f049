/** The text of a composer with the mentions in it, and how it changes: of the window and of its fake. */
import type { ComposerMention, ComposerPart } from "../app/composer.js";
import type { MentionResource } from "../records.js";

/** A mention with the plugin whose provider it is of; without one it is sent as plain text. */
export interface OwnedMention extends ComposerMention {
  readonly pluginId?: string;
  /** What it stands for, when it is of the window itself. */
  readonly resource?: MentionResource;
}

export type OwnedPart = ComposerPart & { readonly pluginId?: string; readonly resource?: MentionResource };

export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** A replacement of one range of a text. */
export interface TextEdit extends TextRange {
  readonly inserted: string;
}

/** The one replacement that turns `before` into `after`; `caret` is where the caret stands afterwards, when it is known. */
export function editBetween(before: string, after: string, caret?: number): TextEdit {
  const shorter = Math.min(before.length, after.length);
  // Between equal letters the caret decides which of them was typed.
  const limit = caret === undefined ? shorter : Math.min(shorter, caret);
  let start = 0;
  while (start < limit && before[start] === after[start]) {
    start++;
  }
  let tail = 0;
  while (tail < shorter - start && before[before.length - 1 - tail] === after[after.length - 1 - tail]) {
    tail++;
  }
  return { start, end: before.length - tail, inserted: after.slice(start, after.length - tail) };
}

export function applyEdit(text: string, { start, end, inserted }: TextEdit): string {
  return text.slice(0, start) + inserted + text.slice(end);
}

/** Mentions after an edit: those behind it move, those it touches become plain text. */
export function moveMentions(mentions: readonly OwnedMention[], edit: TextEdit): OwnedMention[] {
  const shift = edit.inserted.length - (edit.end - edit.start);
  return mentions.flatMap((mention) => {
    if (mention.end <= edit.start) {
      return [mention];
    }
    return mention.start >= edit.end ? [{ ...mention, start: mention.start + shift, end: mention.end + shift }] : [];
  });
}

const clamp = (value: number, size: number): number => Math.max(0, Math.min(size, Math.trunc(value)));

/** A range inside of a text of `size`; null when it is none. */
export function clampRange(range: { start: number; end: number }, size: number): TextRange | null {
  if (!Number.isFinite(range.start) || !Number.isFinite(range.end)) {
    return null;
  }
  const start = clamp(range.start, size);
  const end = clamp(range.end, size);
  return start <= end ? { start, end } : null;
}

/** What goes around something that is to stand on lines of its own in place of a range. */
export function breaksAround(text: string, { start, end }: TextRange): { before: string; after: string } {
  return {
    before: start > 0 && text[start - 1] !== "\n" ? "\n" : "",
    after: end < text.length && text[end] !== "\n" ? "\n" : "",
  };
}

const asParts = (parts: string | readonly OwnedPart[]): readonly OwnedPart[] =>
  typeof parts === "string" ? [{ type: "text", text: parts }] : parts;

function textOf(part: OwnedPart): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "quote":
      return quoteText(part.text);
    case "mention":
      return `${part.resource?.kind === "command" ? "/" : "@"}${part.label}`;
  }
}

/** Markdown of a quote, ready to be followed by an answer. */
function quoteText(text: string): string {
  return `${text.replace(/^/gm, "> ")}\n\n`;
}

/** Parts as text behind `before`, with the mentions in it. A quote begins a line. */
export function renderParts(parts: string | readonly OwnedPart[], before: string): { text: string; mentions: OwnedMention[] } {
  let text = "";
  const mentions: OwnedMention[] = [];
  for (const part of asParts(parts)) {
    const soFar = before + text;
    if (part.type === "quote" && soFar !== "" && !soFar.endsWith("\n")) {
      text += "\n";
    }
    const start = before.length + text.length;
    const written = textOf(part);
    text += written;
    if (part.type === "mention") {
      const { provider, id, label, pluginId, resource } = part;
      const owner = { ...(pluginId === undefined ? {} : { pluginId }), ...(resource === undefined ? {} : { resource }) };
      mentions.push({ provider, id, label, start, end: start + written.length, ...owner });
    }
  }
  return { text, mentions };
}
