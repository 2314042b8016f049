/** What loader and builder exchange. */
export interface BuildJob {
  /** Absolute real path of the entry. */
  entry: string;
  /** Absolute path: where a build that has to be an ES module is written to. */
  output: string;
  /**
   * Lets the dependencies be a text of their own in the folder of `output`: the kept one as long as it holds, or a new one.
   * Without it they are part of the bundle.
   */
  dependencies?: "kept" | "new";
  /** Files whose modules the environment has already. With it, the bundle tells which it adds. */
  known?: string[];
}

/** The text after the first newline of the answer is the bundle; this is the JSON before it. */
export interface BuildHeader {
  format: "cjs" | "esm";
  /** Source map with sources relative to the folder of the entry (cjs) or of the output (esm). */
  map: string;
  /** Every file that went in, absolute. */
  inputs: string[];
  warnings: string[];
  /** Digest of the text of dependencies that the bundle asks for. */
  dependencies?: string;
  /** Files whose modules the bundle expects in the environment. */
  known: string[];
}

/** `details` of the error a failed build answers with. */
export interface BuildFailure {
  text: string;
  frame: string;
}
