import { useEffect } from "react";

import { createStore } from "@/lib/store";

const kProduct = "svc";

/** The title of the page that is shown, which is announced when the route changes. */
export const pageTitle = createStore("");

export function usePageTitle(title: string): void {
  useEffect(() => {
    pageTitle.set(title);
    document.title = title === "" ? kProduct : `${title} · ${kProduct}`;
  }, [title]);
}
