import { vi } from "vitest";

/**
 * Files run one after another in one process, which takes a third of the time that a process for each takes: a file begins with sources
 * that nobody has used, at the address of the start page, with an empty page and nothing stored.
 */
vi.useRealTimers();
vi.resetModules();
if (typeof document !== "undefined") {
  // No server answers here; what the window asks for by itself stays open.
  globalThis.fetch = () => new Promise(() => undefined);
  history.replaceState(null, "", "/");
  localStorage.clear();
  sessionStorage.clear();
  document.head.replaceChildren();
  document.body.replaceChildren();
  for (const { name } of [...document.documentElement.attributes]) {
    document.documentElement.removeAttribute(name);
  }
}
