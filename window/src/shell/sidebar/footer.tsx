import Bell from "lucide-react/icons/bell";
import Monitor from "lucide-react/icons/monitor";
import Moon from "lucide-react/icons/moon";
import Settings from "lucide-react/icons/settings";
import Sun from "lucide-react/icons/sun";
import { type RefObject, useId, useLayoutEffect, useRef } from "react";
import { Link, useLocation } from "react-router";

import type { SidebarFooterRegistration } from "#sdk/app/slots/sidebar.js";

import { type ActivePlugin, useRegistrations } from "@/plugins/registry";
import { SlotMount } from "@/plugins/slot_mount";
import { Icon } from "@/sdk_app/icon";
import { IconButton } from "@/ui/button";
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuLabel,
  DropdownMenuRadioGroup,
  DropdownMenuRadioItem,
  DropdownMenuTrigger,
} from "@/ui/dropdown_menu";
import { Tooltip } from "@/ui/tooltip";

import { disclosures, kInDisclosure, useOpenDisclosure } from "@/shell/disclosures";
import { layers } from "@/shell/layers";
import { navigation } from "@/lib/navigation";
import { kSettings, rowOf } from "@/lib/places";
import { useNotifications } from "@/lib/notifications";
import { runPluginAction } from "@/plugins/plugin_action";
import { sidebar } from "@/shell/sidebar_state";
import { cn } from "@/ui/cn";
import { setTheme, type ThemeChoice, useTheme } from "@/lib/theme";

const kThemeIcons = { system: Monitor, light: Sun, dark: Moon };

/** More actions than this scroll: they leave the navigation its place. */
const kManyActions = 24;

/** Actions of plugins, then those of the window. */
export function SidebarFooter() {
  const actions = useRegistrations("sidebarFooterActions");
  const footers = useRegistrations("sidebarFooters");
  const isSettings = rowOf(useLocation().pathname) === kSettings.id;
  return (
    <div data-sidebar="footer" className="flex flex-col border-t border-sidebar-border">
      <div
        role="group"
        aria-label="Sidebar actions"
        className={cn(
          "flex flex-wrap items-center gap-0.5 p-2",
          actions.length + footers.length > kManyActions && "max-h-40 overflow-y-auto",
        )}
      >
        <Tooltip content={kSettings.title} side="top">
          <Link
            to={kSettings.to}
            aria-label={kSettings.title}
            {...(isSettings ? { "aria-current": "page" as const } : {})}
            className="inline-flex size-8 items-center justify-center rounded-md text-muted-foreground hover:bg-state-hover hover:text-foreground aria-[current=page]:bg-sidebar-accent aria-[current=page]:text-sidebar-accent-foreground pointer-coarse:size-11 forced-colors:aria-[current=page]:outline-2"
          >
            <Settings aria-hidden className="size-4" />
          </Link>
        </Tooltip>
        <ThemeMenu />
        <NotificationsButton />
        <span className="flex-1" />
        {actions.map(({ plugin, registration: { id, title, icon, run } }) => (
          <IconButton
            key={`${plugin.pluginId}/${id}`}
            label={title}
            tooltipSide="top"
            data-testid={`plugin-sidebar-footer-action-${plugin.pluginId}-${id}`}
            onClick={() =>
              runPluginAction(plugin, `slots.sidebarFooterAction ${id}`, title, () =>
                run({ openSettings: () => navigation.toPluginSettings(plugin.pluginId) }),
              )
            }
          >
            <Icon name={icon} pluginId={plugin.pluginId} />
          </IconButton>
        ))}
        {footers.map(({ plugin, registration }) => (
          <FooterEntry key={`${plugin.pluginId}/${registration.id}`} plugin={plugin} registration={registration} />
        ))}
      </div>
    </div>
  );
}

function FooterEntry({ plugin, registration }: { plugin: ActivePlugin; registration: SidebarFooterRegistration }) {
  const open = useOpenDisclosure();
  const { id, label, icon } = registration;
  const isOpen = open === `${plugin.pluginId}/${id}`;
  const button = useRef<HTMLButtonElement>(null);
  const sectionId = useId();
  const onClick = () => {
    if (registration.kind === "disclosure") {
      (isOpen ? disclosures.close : disclosures.open)(plugin.pluginId, id);
      return;
    }
    runPluginAction(plugin, `experimental_sidebarFooter ${id}`, label, () =>
      registration.onActivate({ openPluginDetails: () => navigation.toPluginDetail(plugin.pluginId) }),
    );
  };
  const isDisclosure = registration.kind === "disclosure";
  return (
    <>
      <IconButton
        ref={button}
        label={label}
        tooltipSide="top"
        data-testid={`plugin-sidebar-footer-action-${plugin.pluginId}-${id}`}
        {...(isDisclosure ? { "aria-expanded": isOpen, ...(isOpen ? { "aria-controls": sectionId } : {}) } : {})}
        onClick={onClick}
      >
        <Icon name={icon} pluginId={plugin.pluginId} />
      </IconButton>
      {isDisclosure && isOpen && <Disclosure plugin={plugin} registration={registration} sectionId={sectionId} button={button} />}
    </>
  );
}

type DisclosureRegistration = Extract<SidebarFooterRegistration, { kind: "disclosure" }>;

/** Follows its button in the order of Tab, and stands above all of them. */
function Disclosure({
  plugin,
  registration,
  sectionId,
  button,
}: {
  plugin: ActivePlugin;
  registration: DisclosureRegistration;
  sectionId: string;
  button: RefObject<HTMLButtonElement | null>;
}) {
  const section = useRef<HTMLElement>(null);
  const dismiss = () => disclosures.close(plugin.pluginId, registration.id);
  useLayoutEffect(() => {
    const own = section.current;
    const opener = button.current;
    // While it is still in the page: afterwards nothing says where the focus was.
    return () => {
      if (own?.contains(document.activeElement) === true) {
        opener?.focus();
      }
    };
  }, [button]);
  return (
    <section
      ref={section}
      id={sectionId}
      aria-label={registration.label}
      {...kInDisclosure}
      className="order-first -mx-2 -mt-2 mb-1.5 max-h-[50dvh] min-w-0 basis-[calc(100%+1rem)] overflow-y-auto border-b border-sidebar-border p-2 text-sm"
      onKeyDown={(event) => {
        if (event.key === "Escape" && !event.defaultPrevented) {
          dismiss();
        }
      }}
    >
      <SlotMount
        plugin={plugin}
        slot="experimental_sidebarFooter"
        id={registration.id}
        component={registration.component}
        props={{ dismiss }}
      />
    </section>
  );
}

function ThemeMenu() {
  const { choice } = useTheme();
  const ThemeIcon = kThemeIcons[choice];
  return (
    <DropdownMenu>
      <DropdownMenuTrigger asChild>
        <IconButton label="Theme" tooltip={false}>
          <ThemeIcon aria-hidden />
        </IconButton>
      </DropdownMenuTrigger>
      <DropdownMenuContent align="start" side="top">
        <DropdownMenuLabel>Theme</DropdownMenuLabel>
        <DropdownMenuRadioGroup value={choice} onValueChange={(next) => setTheme(next as ThemeChoice)}>
          <DropdownMenuRadioItem value="system">As the system</DropdownMenuRadioItem>
          <DropdownMenuRadioItem value="light">Light</DropdownMenuRadioItem>
          <DropdownMenuRadioItem value="dark">Dark</DropdownMenuRadioItem>
        </DropdownMenuRadioGroup>
      </DropdownMenuContent>
    </DropdownMenu>
  );
}

function NotificationsButton() {
  const unread = useNotifications().filter(({ isRead }) => !isRead).length;
  return (
    <IconButton
      label={unread === 0 ? "Notifications" : `Notifications, ${unread} unread`}
      tooltipSide="top"
      className="relative"
      aria-haspopup="dialog"
      onClick={() => {
        sidebar.setDrawerOpen(false);
        layers.openNotifications();
      }}
    >
      <Bell aria-hidden />
      {unread > 0 && <span aria-hidden className="absolute top-1.5 right-2 size-2 rounded-full bg-attention ring-2 ring-sidebar" />}
    </IconButton>
  );
}
