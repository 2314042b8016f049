import { useEffect } from "react";

import { shownText } from "@/lib/shown_text";
import { createStore, useStore } from "@/lib/store";
import { attentionCount } from "./attention_count";

const kProduct = "svc";

/** The title of the page that is shown, which is announced when the route changes. */
export const pageTitle = createStore("");

export function usePageTitle(title: string): void {
  // Other tabs are in front: their names alone tell that somebody is waited for.
  const count = useStore(attentionCount);
  useEffect(() => {
    pageTitle.set(title);
    const page = title === "" ? kProduct : `${shownText(title)} · ${kProduct}`;
    document.title = `${count === 0 ? "" : `(${count}) `}${page}`;
  }, [title, count]);
}
