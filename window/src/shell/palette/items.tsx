import Blocks from "lucide-react/icons/blocks";
import FolderKanban from "lucide-react/icons/folder-kanban";
import Monitor from "lucide-react/icons/monitor";
import Command from "lucide-react/icons/command";
import CornerDownRight from "lucide-react/icons/corner-down-right";
import MessageSquare from "lucide-react/icons/message-square";
import Settings from "lucide-react/icons/settings";
import TextSearch from "lucide-react/icons/text-search";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";

import { useRegistrations } from "@/plugins/registry";
import { Icon } from "@/sdk_app/icon";
import { useThreadLists } from "@/sdk_app/threads_data";

import { useWindowCommands } from "@/lib/commands";
import {
  isPluginCommandAvailable,
  isWindowCommandAvailable,
  pluginBindingId,
  runPluginCommand,
  runWindowCommand,
  shortcutOf,
  useBindings,
  windowBindingId,
} from "@/sdk_app/key_bindings";
import { navigation, paths } from "@/lib/navigation";
import { kSettingRows } from "@/lib/places";
import { hostsQuery } from "@/api/hosts";
import { usePlugins } from "@/api/queries";
import type { PluginRecord } from "@/api/records";
import { threadName } from "@/sdk_app/thread_records";
import { usePanelRows } from "@/shell/panel_rows";
import type { Shortcut } from "@/lib/shortcuts";
import type { PaletteItem } from "./matching";

export interface RunnableItem extends PaletteItem {
  readonly icon: ReactNode;
  readonly shortcut?: Shortcut;
  readonly threadId?: string;
  run(): void;
}

const kOwnId = "window.palette";
/** Shorter words are in every message. */
const kMinSaid = 2;

/** What leads to what was said, for words that no row is called by; null where there are no threads, or too little is typed. */
export function useSaidItem(query: string): RunnableItem | null {
  const hasThreads = useThreadLists().threads.length > 0;
  const wanted = query.trim();
  return useMemo(
    () =>
      !hasThreads || wanted.length < kMinSaid
        ? null
        : {
            id: "said",
            title: `Find “${wanted}” in what was said`,
            group: "Threads",
            icon: <TextSearch aria-hidden />,
            run: () => navigation.to(paths.threads(wanted)),
          },
    [hasThreads, wanted],
  );
}

/** The window's own pages about a plugin, also of one that has none itself. */
function itemsAbout({ id, name, hasSettings }: PluginRecord): RunnableItem[] {
  const item = (kind: string, title: string, run: () => void): RunnableItem => ({
    id: `${kind}:${id}`,
    title,
    group: "Plugins",
    keywords: [id],
    isSearchOnly: true,
    icon: <Blocks aria-hidden />,
    run,
  });
  return [
    item("about", `About ${name}`, () => navigation.toPluginDetail(id)),
    ...(hasSettings ? [item("settings", `Settings of ${name}`, () => navigation.toPluginSettings(id))] : []),
    item("log", `Log of ${name}`, () => navigation.toPluginLogs(id)),
  ];
}

/** Everything that can be chosen now, in the order in which it is listed. */
export function usePaletteItems(): readonly RunnableItem[] {
  const commands = useWindowCommands();
  const registrations = useRegistrations("commands");
  const bindings = useBindings();
  const { shown, hidden } = usePanelRows();
  const { threads, projects } = useThreadLists();
  const hosts = useQuery({ ...hostsQuery, retry: false }).data;
  const plugins = usePlugins().data;
  return useMemo(() => {
    const keysOf = (bindingId: string): { shortcut?: Shortcut } => {
      const shortcut = shortcutOf(bindings, bindingId);
      return shortcut === undefined ? {} : { shortcut };
    };
    const windowItems = commands
      .filter((command) => command.id !== kOwnId && isWindowCommandAvailable(command))
      .map((command): RunnableItem => ({
        id: `window:${command.id}`,
        title: command.title,
        group: command.group ?? "Window",
        icon: command.group === "Go to" ? <CornerDownRight aria-hidden /> : <Command aria-hidden />,
        ...(command.keywords === undefined ? {} : { keywords: command.keywords }),
        ...keysOf(windowBindingId(command)),
        run: () => runWindowCommand(command),
      }));
    const pages = [...shown, ...hidden].map((row): RunnableItem => ({
      id: `panel:${row.key}`,
      title: row.title,
      group: "Go to",
      keywords: [row.pluginId],
      icon: <Icon name={row.icon} pluginId={row.pluginId} />,
      run: () => navigation.toPluginPanel(row.pluginId, row.path),
    }));
    const pluginItems = registrations
      .filter(({ plugin, registration }) => isPluginCommandAvailable(plugin, registration))
      .map(({ plugin, registration: command }): RunnableItem => ({
        id: `plugin:${plugin.pluginId}/${command.id}`,
        title: command.title,
        group: plugin.name,
        icon: <Blocks aria-hidden />,
        ...keysOf(pluginBindingId(plugin, command)),
        run: () => runPluginCommand(plugin, command),
      }));
    const threadItems = threads
      .filter(({ isArchived }) => !isArchived)
      .map((thread): RunnableItem => ({
        id: `thread:${thread.id}`,
        title: threadName(thread),
        group: "Threads",
        keywords: projects.filter(({ id }) => id === thread.projectId).map(({ name }) => name),
        icon: <MessageSquare aria-hidden />,
        threadId: thread.id,
        run: () => navigation.toThread(thread.id),
      }));
    const projectItems = projects
      .filter(({ isPersonal }) => !isPersonal)
      .map(({ id, name }): RunnableItem => ({
        id: `project:${id}`,
        title: name,
        group: "Projects",
        icon: <FolderKanban aria-hidden />,
        run: () => navigation.toProject(id),
      }));
    const hostItems = (hosts ?? []).map(({ id, name }): RunnableItem => ({
      id: `host:${id}`,
      title: name,
      group: "Machines",
      icon: <Monitor aria-hidden />,
      run: () => navigation.toMachine(id),
    }));
    const settingItems = kSettingRows.map(({ id, title, to, keywords }): RunnableItem => ({
      id: `setting:${id}`,
      title,
      group: "Settings",
      ...(keywords === undefined ? {} : { keywords }),
      isSearchOnly: true,
      icon: <Settings aria-hidden />,
      run: () => navigation.to(to),
    }));
    const goTo = windowItems.filter(({ group }) => group === "Go to");
    return [
      ...goTo,
      ...pages,
      ...pluginItems,
      ...windowItems.filter((item) => !goTo.includes(item)),
      ...threadItems,
      ...projectItems,
      ...hostItems,
      ...(plugins ?? []).flatMap(itemsAbout),
      ...settingItems,
    ];
  }, [commands, registrations, bindings, shown, hidden, threads, projects, hosts, plugins]);
}
