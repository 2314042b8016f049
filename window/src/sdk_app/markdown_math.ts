import { useEffect } from "react";
import type { Options } from "react-markdown";

import { createStore, useStore } from "../shell/store";

type Plugin = NonNullable<Options["rehypePlugins"]>[number];

const plugin = createStore<Plugin | null>(null);
let isLoading = false;

/** Whether a text may hold a formula. */
const kMath = /\$[^\s$]|\$\$|language-math|```math/;

async function load(): Promise<void> {
  if (isLoading || plugin.get() !== null) {
    return;
  }
  isLoading = true;
  try {
    const { rehypeKatex } = await import("./markdown_katex");
    // An error in a formula shows the formula; `trust` stays off, so that a formula cannot link or load anything.
    plugin.set([rehypeKatex, { trust: false, strict: "ignore", errorColor: "var(--destructive-text)", maxExpand: 1000, maxSize: 40 }]);
  } catch (failure) {
    console.error("formulas are shown as they are written", failure);
  } finally {
    isLoading = false;
  }
}

/** What draws formulas, loaded with the first text that has one; null until then. */
export function useMathPlugin(content: string): Plugin | null {
  const hasMath = kMath.test(content);
  useEffect(() => {
    if (hasMath) {
      void load();
    }
  }, [hasMath]);
  const loaded = useStore(plugin);
  return hasMath ? loaded : null;
}
