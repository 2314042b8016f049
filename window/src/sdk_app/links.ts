import { navigation } from "@/lib/navigation";

export type LinkKind = "web" | "window" | "fragment" | "other" | "none";

/** Schemes that a click may hand to the system. */
const kHarmless = /^(mailto|tel|sms|xmpp|ircs?):/i;

/** What following an address would do. Addresses of scripts and data, and paths of files, are `none`. */
export function linkKind(href: string | undefined): LinkKind {
  if (href === undefined || href === "") {
    return "none";
  }
  if (href.startsWith("#")) {
    return "fragment";
  }
  if (/^https?:/i.test(href) || href.startsWith("//")) {
    return "web";
  }
  if (href.startsWith("/") && !href.startsWith("/\\")) {
    return "window";
  }
  return kHarmless.test(href) ? "other" : "none";
}

interface ClickLike {
  button: number;
  metaKey: boolean;
  ctrlKey: boolean;
  shiftKey: boolean;
  altKey: boolean;
  defaultPrevented: boolean;
  preventDefault(): void;
}

/** Whether a click asks the browser for something else than following the link here. */
export function isPlainClick({ button, metaKey, ctrlKey, shiftKey, altKey, defaultPrevented }: ClickLike): boolean {
  return button === 0 && !metaKey && !ctrlKey && !shiftKey && !altKey && !defaultPrevented;
}

/** Follows a path of the window without loading the page again; a click with a modifier is the browser's. */
export function followInWindow(event: ClickLike, path: string): void {
  if (isPlainClick(event)) {
    event.preventDefault();
    navigation.to(path);
  }
}
