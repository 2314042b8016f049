/** A document for React, in this process. Import it before React. */
import { Window } from "happy-dom";

const window = new Window({ url: "http://127.0.0.1:4700/" });
for (const name of [
  "document",
  "navigator",
  "HTMLElement",
  "Element",
  "Node",
  "MutationObserver",
  "FormData",
  "Event",
  "getComputedStyle",
]) {
  Object.defineProperty(globalThis, name, { value: window[name], configurable: true, writable: true });
}
globalThis.window = window;
globalThis.IS_REACT_ACT_ENVIRONMENT = true;
