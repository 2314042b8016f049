/** Where the server has its documentation, as seen from the page's base. */
export const kDocs = "docs/";

/** In a tab of its own: it is no page of the window. */
export function openDocs(): void {
  window.open(new URL(kDocs, document.baseURI), "_blank", "noopener");
}
