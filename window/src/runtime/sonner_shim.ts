import { createElement, isValidElement, type ReactNode } from "react";
import * as sonner from "sonner";

import { PluginNode } from "@/plugins/plugin_node";
import { recordNotification } from "@/lib/notifications";
import { pluginOnStack } from "./plugin_stack";

type Kind = "info" | "success" | "warning" | "error";
type Toast = typeof sonner.toast;
type Show = Toast["message"];
type Title = Parameters<Show>[0];
type PromiseData = NonNullable<Parameters<Toast["promise"]>[1]>;

/** What a toast says, for a list that shows text only. Empty when it says nothing in words. */
export function textOfNode(node: Title | undefined): string {
  if (typeof node === "string" || typeof node === "number" || typeof node === "bigint") {
    return String(node);
  }
  if (Array.isArray(node)) {
    return (node as ReactNode[]).map(textOfNode).join("");
  }
  if (typeof node === "function") {
    return textOfNode(node());
  }
  return isValidElement<{ children?: ReactNode }>(node) ? textOfNode(node.props.children) : "";
}

function record(kind: Kind, pluginId: string | null, title: Title | undefined, description?: Title): void {
  const text = textOfNode(title).trim();
  if (text === "") {
    return;
  }
  const details = textOfNode(description).trim();
  recordNotification({
    kind,
    title: text,
    ...(details === "" ? {} : { description: details }),
    ...(pluginId === null ? {} : { pluginId }),
  });
}

/** The toaster is the window's, so nothing that a plugin gives it to show may fail in there. Plain text cannot. */
function shownBy<T>(pluginId: string | null, said: T): T {
  if (pluginId === null || said === null || (typeof said !== "object" && typeof said !== "function")) {
    return said;
  }
  const shown: unknown =
    typeof said === "function"
      ? (...given: unknown[]) => shownBy(pluginId, (said as unknown as (...given: unknown[]) => unknown)(...given))
      : createElement(PluginNode, { pluginId, slot: "toast", children: said as unknown as ReactNode });
  return shown as T;
}

/** A button is an element, or its label and what it does. */
function buttonBy(pluginId: string | null, button: unknown): unknown {
  const isElement = typeof button !== "object" || button === null || isValidElement(button);
  return isElement ? shownBy(pluginId, button) : { ...button, label: shownBy(pluginId, (button as { label?: unknown }).label) };
}

function dataBy<T extends object | undefined>(pluginId: string | null, data: T): T {
  const own: Record<string, unknown> = { ...data };
  for (const key of ["description", "icon"]) {
    if (own[key] !== undefined) {
      own[key] = shownBy(pluginId, own[key]);
    }
  }
  for (const key of ["action", "cancel"]) {
    if (own[key] !== undefined) {
      own[key] = buttonBy(pluginId, own[key]);
    }
  }
  return (data === undefined ? undefined : own) as T;
}

const shown =
  (show: Show): Show =>
  (title, data) => {
    const pluginId = pluginOnStack();
    return show(shownBy(pluginId, title), dataBy(pluginId, data));
  };

function recorded(kind: Kind, show: Show): Show {
  return (title, data) => {
    const pluginId = pluginOnStack();
    record(kind, pluginId, title, data?.description);
    return show(shownBy(pluginId, title), dataBy(pluginId, data));
  };
}

const custom: Toast["custom"] = (jsx, data) => {
  const pluginId = pluginOnStack();
  return sonner.toast.custom((id) => shownBy(pluginId, jsx(id)), data);
};

/** What the toast of a promise says is known only when it ends; it is recorded when sonner asks for it. */
function recordedOutcome(kind: Kind, pluginId: string | null, outcome: unknown): unknown {
  if (outcome === undefined) {
    return undefined;
  }
  return async (value: unknown) => {
    const said: unknown = await (typeof outcome === "function" ? (outcome as (value: unknown) => unknown)(value) : outcome);
    const isExtended = typeof said === "object" && said !== null && !isValidElement(said) && "message" in said;
    const { message, description } = (isExtended ? said : { message: said }) as { message: Title; description?: Title };
    record(kind, pluginId, message, description);
    return isExtended ? { ...dataBy(pluginId, said), message: shownBy(pluginId, message) } : shownBy(pluginId, said);
  };
}

const promise = ((given: Parameters<Toast["promise"]>[0], data?: PromiseData) => {
  const pluginId = pluginOnStack();
  const outcomes = {
    success: recordedOutcome("success", pluginId, data?.success),
    error: recordedOutcome("error", pluginId, data?.error),
    loading: shownBy(pluginId, data?.loading),
  };
  return sonner.toast.promise(given, data === undefined ? data : ({ ...dataBy(pluginId, data), ...outcomes } as PromiseData));
}) as Toast["promise"];

const toast: Toast = Object.assign(recorded("info", sonner.toast), {
  message: recorded("info", sonner.toast.message),
  info: recorded("info", sonner.toast.info),
  success: recorded("success", sonner.toast.success),
  warning: recorded("warning", sonner.toast.warning),
  error: recorded("error", sonner.toast.error),
  // Ends as another toast, or by itself: nothing to read up later.
  loading: shown(sonner.toast.loading),
  custom,
  promise,
  dismiss: sonner.toast.dismiss,
  getHistory: sonner.toast.getHistory,
  getToasts: sonner.toast.getToasts,
});

/**
 * `sonner` as plugins see it. The window has one toaster: toasts reach it and are kept in the notification centre under the
 * plugin's name; a plugin's own `<Toaster>` would show each of them twice.
 */
export const sonnerShim = Object.freeze({ ...sonner, toast, Toaster: () => null });
