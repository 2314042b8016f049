import { createStore, useStore } from "@/lib/store";
import { keepTyped, takeTyped } from "@/shell/palette/type_ahead";

// What lies over the layout: each is loaded when it opens first.
const palette = createStore(false);
const centre = createStore(false);

function setPalette(isOpen: boolean): void {
  if (isOpen && !palette.get()) {
    keepTyped(() => setPalette(false));
  } else if (!isOpen) {
    takeTyped();
  }
  palette.set(isOpen);
}

export const layers = {
  openPalette: () => setPalette(true),
  setPalette,
  openNotifications: () => centre.set(true),
  setNotifications: centre.set,
};

export const useIsPaletteOpen = () => useStore(palette);
export const useIsNotificationCentreOpen = () => useStore(centre);
