const kPortal = "[data-svc-plugin][data-svc-portaled-overlay]";

/**
 * Calls `hold` for every overlay of a plugin that is put beside the window's root, and what it returned when the overlay is gone.
 * Returns what ends the watch.
 */
export function watchPortals(hold: (pluginId: string) => () => void, body: HTMLElement = document.body): () => void {
  const held = new Map<Element, () => void>();

  function scan(node: Node): void {
    if (node instanceof Element) {
      const found = [...node.querySelectorAll(kPortal), ...(node.matches(kPortal) ? [node] : [])];
      for (const overlay of found) {
        const pluginId = overlay.getAttribute("data-svc-plugin");
        if (pluginId && !held.has(overlay)) {
          held.set(overlay, hold(pluginId));
        }
      }
    }
  }

  function letGo(isOver: (overlay: Element) => boolean): void {
    for (const [overlay, release] of [...held]) {
      if (isOver(overlay)) {
        held.delete(overlay);
        release();
      }
    }
  }

  // Portals are children of the body, put there whole; what moves inside the window does not concern this.
  const observer = new MutationObserver((records) => {
    records.forEach(({ addedNodes }) => addedNodes.forEach(scan));
    letGo((overlay) => !overlay.isConnected);
  });
  observer.observe(body, { childList: true });
  return () => {
    observer.disconnect();
    letGo(() => true);
  };
}
