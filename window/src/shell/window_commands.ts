import { registerCommand, type WindowCommand } from "@/lib/commands";
import { kPaletteEditorShortcut, kPaletteShortcut, kSettingsShortcut, kSidebarShortcut } from "@/sdk_app/key_bindings";
import { layers } from "./layers";
import { navigation, paths } from "@/lib/navigation";
import { currentPanelSurface } from "@/plugins/right_panel";
import { sidebar } from "./sidebar_state";
import { split } from "@/plugins/split";
import { setTheme, themeNow } from "@/lib/theme";
import { isCompactNow } from "@/lib/viewport";

const kCommands: readonly WindowCommand[] = [
  {
    id: "window.palette",
    title: "Search and commands",
    shortcut: kPaletteShortcut,
    otherShortcut: kPaletteEditorShortcut,
    isAvailable: () => true,
    run: layers.openPalette,
  },
  { id: "go.new-thread", title: "New thread", group: "Go to", run: () => navigation.toCompose({ focusPrompt: true }) },
  { id: "go.plugins", title: "Plugins", group: "Go to", keywords: ["installed", "extensions"], run: () => navigation.toPlugins() },
  {
    id: "go.browse-plugins",
    title: "Browse plugins",
    group: "Go to",
    keywords: ["catalogue", "marketplace", "install"],
    run: () => navigation.toBrowsePlugins(),
  },
  {
    id: "go.settings",
    title: "Settings",
    group: "Go to",
    keywords: ["preferences"],
    shortcut: kSettingsShortcut,
    run: () => navigation.toSettings(),
  },
  {
    id: "go.appearance",
    title: "Appearance",
    group: "Go to",
    keywords: ["theme", "colours", "colors"],
    run: () => navigation.toSettings("appearance"),
  },
  { id: "go.shortcuts", title: "Keyboard shortcuts", group: "Go to", keywords: ["keys"], run: () => navigation.toSettings("shortcuts") },
  {
    id: "go.agents",
    title: "Agents & MCP",
    group: "Go to",
    keywords: ["mcp", "clients", "tokens", "claude", "codex"],
    run: () => navigation.toAgents(),
  },
  { id: "go.projects", title: "Projects", group: "Go to", keywords: ["folders", "repositories"], run: () => navigation.toProjects() },
  { id: "go.machines", title: "Machines", group: "Go to", keywords: ["hosts", "join", "daemon"], run: () => navigation.toMachines() },
  {
    id: "go.terminals",
    title: "Terminals",
    group: "Go to",
    keywords: ["shell", "console", "command line"],
    run: () => navigation.toTerminals(),
  },
  { id: "go.files", title: "Files", group: "Go to", keywords: ["folders", "browse", "preview"], run: () => navigation.toFiles() },
  { id: "go.skills", title: "Skills", group: "Go to", run: () => navigation.to("/skills") },
  {
    id: "terminals.open",
    title: "Open a terminal",
    keywords: ["new", "shell", "console"],
    run: () => navigation.to(paths.newTerminal()),
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
