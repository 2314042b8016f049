/** A colour with channels from 0 to 1, alpha included. */
export type Rgba = readonly [number, number, number, number];

/** `kMin` by WCAG 2.2 AA: text 4.5:1; edges of controls and marks 3:1. */
export const kTextContrast = 4.5;
export const kMarkContrast = 3;

const kTextSurfaces = [
  "background",
  "card",
  "popover",
  "sidebar",
  "muted",
  "secondary",
  "accent",
  "surface-recessed-solid",
  "surface-raised-solid",
];

/** What stands on what: token names without `--`. */
export const kContrastPairs: readonly { text: string; surface: string; min: number }[] = [
  ...["foreground", "muted-foreground", "subtle-foreground"].flatMap((text) =>
    kTextSurfaces.map((surface) => ({ text, surface, min: kTextContrast })),
  ),
  ...[
    "readback-foreground",
    "timeline-accent",
    "file-accent",
    "destructive-text",
    "warning-text",
    "success-text",
    "diff-added",
    "diff-removed",
    "pr-merged",
    "attention",
    "primary",
  ].flatMap((text) => ["background", "card"].map((surface) => ({ text, surface, min: kTextContrast }))),
  ...["card", "popover", "primary", "secondary", "accent", "destructive", "success", "sidebar", "sidebar-accent", "tooltip"].map(
    (name) => ({
      text: `${name}-foreground`,
      surface: name,
      min: kTextContrast,
    }),
  ),
  { text: "primary-foreground", surface: "primary-hover", min: kTextContrast },
  { text: "destructive-foreground", surface: "destructive-hover", min: kTextContrast },
  { text: "destructive-text", surface: "surface-destructive", min: kTextContrast },
  { text: "foreground", surface: "surface-selected", min: kTextContrast },
  { text: "muted-foreground", surface: "surface-selected", min: kTextContrast },
  { text: "muted-foreground", surface: "sidebar-accent", min: kTextContrast },
  { text: "input", surface: "background", min: kMarkContrast },
  { text: "input", surface: "card", min: kMarkContrast },
  { text: "ring", surface: "background", min: kMarkContrast },
  { text: "ring", surface: "sidebar", min: kMarkContrast },
  { text: "warning", surface: "background", min: kMarkContrast },
];

function luminance([r, g, b]: Rgba): number {
  const linear = (channel: number) => (channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4);
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}

/** The contrast ratio of two opaque colours, 1 to 21. */
export function contrastRatio(a: Rgba, b: Rgba): number {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

export interface ContrastFailure {
  text: string;
  surface: string;
  ratio: number;
  min: number;
}

/** Pairs that are too close. A token that `resolve` does not know is skipped: there is nothing to measure. */
export function contrastFailures(resolve: (token: string) => Rgba | undefined): ContrastFailure[] {
  return kContrastPairs.flatMap(({ text, surface, min }) => {
    const [over, under] = [resolve(text), resolve(surface)];
    if (over === undefined || under === undefined) {
      return [];
    }
    const ratio = contrastRatio(over, under);
    return ratio < min ? [{ text, surface, ratio, min }] : [];
  });
}
