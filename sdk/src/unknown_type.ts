declare enum Newer {
  kType = "a type of a newer service",
}

/**
 * Stands for any text that is no type of this version; at run time it is that text. A plain `string` in its place, or one with a mark, would
 * keep a comparison with a known type from telling anything about the rest.
 */
export type UnknownType = Newer.kType;
