import { createContext } from "react";

/** What relative addresses of a text mean where it comes from. */
export interface TextAddresses {
  /** Where the browser finds an image; undefined: nowhere, so that its text is shown. */
  imageUrl(address: string): string | undefined;
  /** The page of the window that shows what a link leads to; undefined: none. */
  linkPath(address: string): string | undefined;
}

/** Without one, relative addresses of a text lead nowhere. */
export const TextAddressesContext = createContext<TextAddresses | null>(null);

/** Neither of the web, nor a path of the window, nor a place in the text. */
export function isRelativeAddress(address: string | undefined): address is string {
  return address !== undefined && address !== "" && !/^([a-z][a-z0-9+.-]*:|[/#\\?])/i.test(address);
}
