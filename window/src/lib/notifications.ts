import { createStore, useStore } from "./store";

/** `L:notifications` — how many the notification centre keeps. */
export const kNotificationLimit = 100;

export type NotificationKind = "info" | "success" | "warning" | "error";

export interface NotificationInput {
  kind: NotificationKind;
  title: string;
  description?: string;
  /** The plugin it is about, or that sent it. */
  pluginId?: string;
  action?: { label: string; run(): void };
}

export interface Notification extends NotificationInput {
  readonly id: number;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly isRead: boolean;
}

const notifications = createStore<readonly Notification[]>([]);
const alert = createStore<{ id: number; text: string } | null>(null);
let lastId = 0;

/** Into the notification centre only: the shimmed toaster of plugins shows its own toast. */
export function recordNotification(input: NotificationInput): void {
  const entry: Notification = { ...input, id: ++lastId, at: Date.now(), isRead: false };
  notifications.update((kept) => [entry, ...kept].slice(0, kNotificationLimit));
  if (input.kind === "error") {
    alert.set({ id: entry.id, text: [input.title, input.description].filter(Boolean).join(". ") });
  }
}

/** A toast that stays readable in the notification centre. */
export function notify(input: NotificationInput): void {
  recordNotification(input);
  if (showToast === undefined) {
    early.push(input);
  } else {
    showToast(input);
  }
}

let showToast: ((input: NotificationInput) => void) | undefined;
const early: NotificationInput[] = [];

/** Called by the toaster once it listens, which is after the first paint; it is given what was said before. */
export function bindToaster(show: (input: NotificationInput) => void): void {
  showToast = show;
  early.splice(0).forEach(show);
}

/** Newest first. */
export function useNotifications(): readonly Notification[] {
  return useStore(notifications);
}

export function notificationsNow(): readonly Notification[] {
  return notifications.get();
}

export function markNotificationsRead(): void {
  notifications.update((kept) => (kept.some(({ isRead }) => !isRead) ? kept.map((entry) => ({ ...entry, isRead: true })) : kept));
}

export function dismissNotification(id: number): void {
  notifications.update((kept) => kept.filter((entry) => entry.id !== id));
}

export function clearNotifications(): void {
  notifications.set([]);
}

/** The last error, for the region that screen readers announce at once: toasts themselves are announced politely. */
export function useErrorAnnouncement(): { id: number; text: string } | null {
  return useStore(alert);
}
