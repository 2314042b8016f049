import { createElement, isValidElement, type ReactNode } from "react";
import * as sonner from "sonner";

import { PluginNode } from "@/plugins/plugin_node";
import { recordNotification } from "@/lib/notifications";
import { pluginOnStack } from "./plugin_stack";
import { fell, isGone, mayShow, stands, type ToastId, withName } from "./plugin_toasts";

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

/** What it says below its title, with the name of who says it. */
function describedBy(pluginId: string | null, description: unknown): unknown {
  if (typeof description !== "function") {
    return withName(pluginId, shownBy(pluginId, description as ReactNode));
  }
  return (value: unknown) => {
    const said = (description as (value: unknown) => unknown)(value);
    // Only the toast of a promise waits for it.
    return said instanceof Promise ? said.then((text) => describedBy(pluginId, text)) : describedBy(pluginId, said);
  };
}

function dataBy<T extends object | undefined>(pluginId: string | null, data: T): T {
  const own: Record<string, unknown> = { ...data };
  if (own.icon !== undefined) {
    own.icon = shownBy(pluginId, own.icon);
  }
  for (const key of ["action", "cancel"]) {
    if (own[key] !== undefined) {
      own[key] = buttonBy(pluginId, own[key]);
    }
  }
  if (own.description !== undefined || pluginId !== null) {
    own.description = describedBy(pluginId, own.description);
  }
  for (const key of ["onDismiss", "onAutoClose"]) {
    const told = own[key];
    own[key] = (toast: { id: ToastId }) => {
      fell(pluginId, toast.id);
      if (typeof told === "function") {
        (told as (toast: unknown) => void)(toast);
      }
    };
  }
  return own as T;
}

let notShown = 0;

/** Shows it, when its sender may: the id is one in any case. */
function admitted<D extends object | undefined>(pluginId: string | null, data: D, show: (data: D) => ToastId): ToastId {
  const { id } = (data ?? {}) as { id?: ToastId };
  if (isGone(pluginId) || !mayShow(pluginId, id)) {
    return id ?? `svc-not-shown-${++notShown}`;
  }
  const shown = show(dataBy(pluginId, data));
  if (typeof shown === "string" || typeof shown === "number") {
    stands(pluginId, shown);
  }
  return shown;
}

const shown =
  (show: Show): Show =>
  (title, data) => {
    const pluginId = pluginOnStack();
    return admitted(pluginId, data, (own) => show(shownBy(pluginId, title), own));
  };

function recorded(kind: Kind, show: Show): Show {
  return (title, data) => {
    const pluginId = pluginOnStack();
    if (!isGone(pluginId)) {
      record(kind, pluginId, title, data?.description);
    }
    return admitted(pluginId, data, (own) => show(shownBy(pluginId, title), own));
  };
}

const custom: Toast["custom"] = (jsx, data) => {
  const pluginId = pluginOnStack();
  return admitted(pluginId, data, (own) => sonner.toast.custom((id) => shownBy(pluginId, jsx(id)), own));
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
    if (!isGone(pluginId)) {
      record(kind, pluginId, message, description);
    }
    return isExtended ? { ...dataBy(pluginId, said), message: shownBy(pluginId, message) } : shownBy(pluginId, said);
  };
}

/** What a promise comes to, without a toast. */
async function untold(given: Promise<unknown>, data: PromiseData, outcomes: { success: unknown; error: unknown }): Promise<void> {
  const tell = async (outcome: unknown, value: unknown) => (typeof outcome === "function" ? void (await outcome(value)) : undefined);
  try {
    const value = await given;
    await tell(outcomes.success, value);
  } catch (failure) {
    await tell(outcomes.error, failure);
  }
  await data.finally?.();
}

const promise = ((given: Parameters<Toast["promise"]>[0], data?: PromiseData) => {
  const pluginId = pluginOnStack();
  if (data === undefined) {
    return sonner.toast.promise(given, data);
  }
  const outcomes = {
    success: recordedOutcome("success", pluginId, data.success),
    error: recordedOutcome("error", pluginId, data.error),
    loading: shownBy(pluginId, data.loading),
  };
  let result: unknown;
  admitted(pluginId, data, (own) => {
    result = sonner.toast.promise(given, { ...own, ...outcomes } as PromiseData);
    return (result as ToastId).valueOf() as ToastId;
  });
  if (result !== undefined) {
    return result;
  }
  const running = Promise.resolve(typeof given === "function" ? given() : given);
  void untold(running, data, outcomes);
  return { unwrap: () => running };
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
