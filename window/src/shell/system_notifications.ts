import { readPreference } from "@/lib/preferences";
import { shownText } from "@/lib/shown_text";

/** The preference of this browser that says whether the system shows them. */
export const kSystemNotifications = "notifications.system";

/** `unavailable`: this browser, or a page that is not served securely, has none. */
export type NotificationPermissionState = "granted" | "denied" | "default" | "unavailable";

export function permissionNow(): NotificationPermissionState {
  return typeof Notification === "function" && isSecureContext ? Notification.permission : "unavailable";
}

/** Shows one outside of the window, when somebody wants that and the window is not in front. */
export function showSystemNotification(text: string, tag: string, open: () => void): void {
  if (!document.hidden || !readPreference(kSystemNotifications, false) || permissionNow() !== "granted") {
    return;
  }
  try {
    const shown = new Notification(shownText(text), { tag });
    shown.onclick = () => {
      window.focus();
      open();
      shown.close();
    };
  } catch {
    // Some browsers have them in service workers only; the notification centre has it in any case.
  }
}
