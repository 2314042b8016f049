import type { ComposerMention, ComposerTextEffect, ComposerTextRange } from "#sdk/app/composer.js";

import { reportPluginFailure } from "@/plugins/mount_context";
import type { ActivePlugin } from "@/plugins/registry";
import { clampRange, type TextRange } from "#sdk/app_policy/composer_text.js";

/** A look of a part of the text. */
export interface Decoration extends TextRange {
  readonly className: string;
  /** Whose class names they are; null for the window's. */
  readonly pluginId: string | null;
}

/** A piece of the text with everything that lies over it, outermost first. */
export interface Segment extends TextRange {
  readonly over: readonly Decoration[];
}

export interface OwnedTextEffect {
  readonly plugin: ActivePlugin;
  readonly customizationId: string;
  readonly effect: ComposerTextEffect;
}

/** Characters of a draft in which effects are looked for, and ranges taken of one effect: more would slow typing down. */
const kMaxText = 20_000;
const kMaxRanges = 500;

const kMentionClass = "rounded-sm bg-surface-selected text-link";

// An effect that threw once is left alone: it would throw again with every key.
const broken = new WeakSet<ComposerTextEffect>();

const rangeOf = (range: ComposerTextRange): TextRange => ("from" in range ? { start: range.from, end: range.to } : range);

function rangesOf({ plugin, customizationId, effect }: OwnedTextEffect, text: string): TextRange[] {
  if (broken.has(effect)) {
    return [];
  }
  try {
    const found: unknown = effect.match(text);
    if (!Array.isArray(found)) {
      throw new TypeError("match must return an array of { from, to }");
    }
    return (found as ComposerTextRange[]).slice(0, kMaxRanges).flatMap((range) => clampRange(rangeOf(range), text.length) ?? []);
  } catch (failure) {
    broken.add(effect);
    console.error(`${plugin.pluginId}: the text effect "${effect.id}" failed and is left out`, failure);
    reportPluginFailure(plugin.pluginId, "render", failure, `composer.customize ${customizationId} effect ${effect.id}`);
    return [];
  }
}

export function decorationsOf(text: string, mentions: readonly ComposerMention[], effects: readonly OwnedTextEffect[]): Decoration[] {
  const own = mentions.map(({ start, end }) => ({ start, end, className: kMentionClass, pluginId: null }));
  const theirs =
    text.length > kMaxText
      ? []
      : effects.flatMap((owned) =>
          rangesOf(owned, text).map(({ start, end }) => ({
            start,
            end,
            className: owned.effect.className,
            pluginId: owned.plugin.pluginId,
          })),
        );
  return [...theirs, ...own].filter(({ start, end }) => start < end);
}

/** Cuts a text where a decoration starts or ends. */
export function segmentsOf(size: number, decorations: readonly Decoration[]): Segment[] {
  const cuts = [...new Set([0, size, ...decorations.flatMap(({ start, end }) => [start, end])])].sort((a, b) => a - b);
  return cuts.slice(0, -1).map((start, index) => {
    const end = cuts[index + 1]!;
    return { start, end, over: decorations.filter((decoration) => decoration.start <= start && decoration.end >= end) };
  });
}
