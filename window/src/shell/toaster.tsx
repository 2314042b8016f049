import { useEffect } from "react";
import { toast, Toaster as Sonner } from "sonner";

import { bindToaster, type NotificationInput, useErrorAnnouncement } from "@/lib/notifications";
import { shownText } from "@/lib/shown_text";
import { useTheme } from "@/lib/theme";

function show({ kind, title, description, action }: NotificationInput): void {
  toast[kind](shownText(title), {
    ...(description === undefined ? {} : { description: shownText(description) }),
    ...(action === undefined ? {} : { action: { label: action.label, onClick: () => action.run() } }),
  });
}

const kOffset = { top: "calc(env(safe-area-inset-top) + 12px)" };
/** As wide as the page: what opens the navigation stays free. */
const kMobileOffset = { top: "calc(env(safe-area-inset-top) + 3rem + 8px)" };

/**
 * The one toaster of the window. Toasts are announced politely; errors a second time at once, from a region of their own. They stand at the
 * top and are cut, since messages are written and questions answered at the bottom: the notification centre has all of them.
 */
export default function Toaster() {
  const { mode } = useTheme();
  const error = useErrorAnnouncement();
  // Effects of children run first: sonner listens by now.
  useEffect(() => bindToaster(show), []);
  return (
    <>
      <Sonner
        theme={mode}
        position="top-center"
        closeButton
        gap={8}
        duration={6000}
        containerAriaLabel="Notifications"
        offset={kOffset}
        mobileOffset={kMobileOffset}
        style={
          {
            "--normal-bg": "var(--popover)",
            "--normal-text": "var(--popover-foreground)",
            "--normal-border": "var(--border)",
            "--border-radius": "var(--radius-lg)",
            fontFamily: "var(--font-sans)",
          } as React.CSSProperties
        }
        toastOptions={{
          classNames: {
            toast: "!shadow-lg !text-sm !items-start",
            title: "wrap-anywhere line-clamp-2",
            description: "!text-muted-foreground wrap-anywhere line-clamp-4",
            actionButton: "!bg-primary !text-primary-foreground",
            closeButton: "!size-6 !bg-popover !text-muted-foreground !border-border",
            error: "[&_[data-icon]]:!text-destructive-text",
            warning: "[&_[data-icon]]:!text-warning-text",
            success: "[&_[data-icon]]:!text-success-text",
          },
        }}
      />
      <div role="alert" aria-live="assertive" className="sr-only">
        {error !== null && <span key={error.id}>{error.text}</span>}
      </div>
    </>
  );
}
