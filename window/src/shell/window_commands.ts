import { registerCommand, type WindowCommand } from "@/lib/commands";
import { kPaletteEditorShortcut, kPaletteShortcut, kSettingsShortcut, kSidebarShortcut } from "@/sdk_app/key_bindings";
import { openDocs } from "@/lib/docs";
import { layers } from "./layers";
import { navigation, paths } from "@/lib/navigation";
import { kPlaces } from "@/lib/places";
import { currentPanelSurface } from "@/plugins/right_panel";
import { sidebar } from "./sidebar_state";
import { split } from "@/plugins/split";
import { setTheme, themeNow } from "@/lib/theme";
import { isCompactNow } from "@/lib/viewport";

/** The palette's ways to every place; a new thread begins in the composer. */
const kGoTo: readonly WindowCommand[] = kPlaces.map(({ id, title, to, keywords }) => ({
  id: `go.${id}`,
  title,
  group: "Go to",
  ...(keywords === undefined ? {} : { keywords }),
  ...(id === "settings" ? { shortcut: kSettingsShortcut } : {}),
  run: () => (id === "new-thread" ? navigation.toCompose({ focusPrompt: true }) : navigation.to(to)),
}));

const kCommands: readonly WindowCommand[] = [
  {
    id: "window.palette",
    title: "Search and commands",
    shortcut: kPaletteShortcut,
    otherShortcut: kPaletteEditorShortcut,
    isAvailable: () => true,
    run: layers.openPalette,
  },
  ...kGoTo,
  {
    id: "terminals.open",
    title: "Open a terminal",
    keywords: ["new", "shell", "console"],
    run: () => navigation.to(paths.newTerminal()),
  },
  {
    id: "window.docs",
    title: "Documentation",
    group: "Go to",
    keywords: ["help", "guide", "manual", "docs", "reference"],
    run: openDocs,
  },
  { id: "window.sidebar", title: "Show or hide the sidebar", shortcut: kSidebarShortcut, run: () => sidebar.toggle(isCompactNow()) },
  {
    id: "window.right-panel",
    title: "Show or hide the right panel",
    isAvailable: () => currentPanelSurface() !== null,
    run: () => {
      const surface = currentPanelSurface();
      surface?.setOpen(!surface.state().isOpen);
    },
  },
  { id: "window.close-split", title: "Close the split", isAvailable: () => split.now().page !== null, run: split.close },
  { id: "window.notifications", title: "Notifications", run: layers.openNotifications },
  { id: "theme.light", title: "Light theme", isAvailable: () => themeNow().choice !== "light", run: () => setTheme("light") },
  { id: "theme.dark", title: "Dark theme", isAvailable: () => themeNow().choice !== "dark", run: () => setTheme("dark") },
  { id: "theme.system", title: "Theme of the system", isAvailable: () => themeNow().choice !== "system", run: () => setTheme("system") },
  { id: "window.reload", title: "Reload the window", run: () => location.reload() },
];

/** Adds the window's own commands; the result removes them. */
export function registerWindowCommands(): () => void {
  const removers = kCommands.map(registerCommand);
  return () => removers.forEach((remove) => remove());
}
