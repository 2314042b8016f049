import { vi } from "vitest";

const all = <T extends Element>(selector: string) => [...document.head.querySelectorAll<T>(selector)];
const kSheets = 'link[data-rel="stylesheet"]';

/** Links of stylesheets are only marked: the test says when they are loaded. */
export function catchLinks(): void {
  const create = document.createElement.bind(document);
  vi.spyOn(document, "createElement").mockImplementation(((name: string) => {
    const element = create(name);
    if (name === "link") {
      // The environment would try to fetch what has a `rel`.
      Object.defineProperty(element, "rel", {
        set: (value: string) => {
          element.setAttribute("data-rel", value);
        },
        get: () => element.getAttribute("data-rel"),
      });
    }
    return element;
  }) as typeof document.createElement);
}

/** `href media` of attached stylesheets, in order. */
export const links = () => all<HTMLLinkElement>(kSheets).map((link) => `${link.getAttribute("href")} ${link.media}`);

/** `href priority` of preloads. */
export const preloads = () =>
  all('link[data-rel="prefetch"][as="style"]').map((link) => `${link.getAttribute("href")} ${link.getAttribute("fetchpriority")}`);

const find = (href: string) =>
  all(kSheets)
    .filter((link) => link.getAttribute("href") === href)
    .at(-1)!;
export const load = (href: string) => void find(href).dispatchEvent(new Event("load"));
export const fail = (href: string) => void find(href).dispatchEvent(new Event("error"));
