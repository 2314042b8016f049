import { createStore, useStore } from "@/lib/store";

// What lies over the layout: each is loaded when it opens first.
const palette = createStore(false);
const centre = createStore(false);

export const layers = {
  openPalette: () => palette.set(true),
  setPalette: palette.set,
  openNotifications: () => centre.set(true),
  setNotifications: centre.set,
};

export const useIsPaletteOpen = () => useStore(palette);
export const useIsNotificationCentreOpen = () => useStore(centre);
