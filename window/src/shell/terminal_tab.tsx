import { lazy, Suspense } from "react";

import { openThreadTerminal } from "@/api/terminals";
import { notify } from "@/lib/notifications";
import { kOwnPanel, type PanelSurface } from "@/plugins/right_panel";
import { kTerminalAction } from "@/threads/panel_tabs";
import { Loading } from "@/ui/spinner";

import type { OwnAction } from "./right_panel_content";

const TerminalPanel = lazy(() => import("@/terminals/terminal_panel"));

/** Tabs of the right panel with terminals in the environment of a thread. */
export function terminalTab(surface: PanelSurface, threadId: string): OwnAction {
  const open = async () => {
    try {
      const { id, title } = await openThreadTerminal(threadId);
      surface.open({ pluginId: kOwnPanel, actionId: kTerminalAction, title, params: { terminalId: id } });
    } catch (failure) {
      notify({
        kind: "error",
        title: "The terminal could not be opened",
        description: failure instanceof Error ? failure.message : String(failure),
      });
    }
  };
  return {
    id: kTerminalAction,
    title: "Terminal",
    icon: "SquareTerminal",
    render: (params) => (
      <Suspense fallback={<Loading />}>
        <TerminalPanel terminalId={String((params as { terminalId?: unknown } | null)?.terminalId)} />
      </Suspense>
    ),
    launch: () => void open(),
  };
}
