import { setDisclosureFactory } from "@/plugins/registry";

import { sidebar } from "./sidebar_state";
import { createStore, useStore } from "@/lib/store";
import { isCompactNow } from "@/lib/viewport";

// At most one in the window.
const open = createStore<string | null>(null);

const keyOf = (pluginId: string, id: string) => `${pluginId}/${id}`;

export const disclosures = {
  open(pluginId: string, id: string) {
    open.set(keyOf(pluginId, id));
    // It shows in the sidebar's footer.
    if (isCompactNow()) {
      sidebar.setDrawerOpen(true);
    } else {
      sidebar.setOpen(true);
    }
  },
  close: (pluginId: string, id: string) => open.update((key) => (key === keyOf(pluginId, id) ? null : key)),
  isOpen: (pluginId: string, id: string) => open.get() === keyOf(pluginId, id),
};

/** On what an open one is shown in. */
export const kInDisclosure = { "data-svc-disclosure": "" };

/** Closes the one that the focus is in; false when it is in none. For layers that hear Escape before what is in them. */
export function closeFocusedDisclosure(): boolean {
  if (document.activeElement?.closest("[data-svc-disclosure]") == null) {
    return false;
  }
  open.set(null);
  return true;
}

/** `<pluginId>/<id>` of the open one. */
export function useOpenDisclosure(): string | null {
  return useStore(open);
}

setDisclosureFactory((pluginId, id) =>
  Object.freeze({
    open: () => disclosures.open(pluginId, id),
    close: () => disclosures.close(pluginId, id),
    toggle: () => (disclosures.isOpen(pluginId, id) ? disclosures.close(pluginId, id) : disclosures.open(pluginId, id)),
  }),
);
