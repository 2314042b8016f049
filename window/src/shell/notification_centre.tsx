import BellOff from "lucide-react/icons/bell-off";
import CircleAlert from "lucide-react/icons/circle-alert";
import CircleCheck from "lucide-react/icons/circle-check";
import Info from "lucide-react/icons/info";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import X from "lucide-react/icons/x";
import { useEffect, useState } from "react";

import { usePlugins } from "@/api/queries";
import { Button, IconButton } from "@/ui/button";
import { cn } from "@/ui/cn";
import { Drawer } from "@/ui/drawer";
import { EmptyState } from "@/ui/empty_state";

import { layers } from "./layers";
import { clearNotifications, dismissNotification, markNotificationsRead, type Notification, useNotifications } from "@/lib/notifications";

const kLook = {
  info: { icon: Info, className: "text-muted-foreground", word: "Note" },
  success: { icon: CircleCheck, className: "text-success-text", word: "Done" },
  warning: { icon: TriangleAlert, className: "text-warning-text", word: "Warning" },
  error: { icon: CircleAlert, className: "text-destructive-text", word: "Error" },
};

const kTime = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });

/** What toasts said, newest first. It is mounted while it is open. */
export default function NotificationCentre() {
  const [isOpen, setOpen] = useState(true);
  const notifications = useNotifications();
  // Read once they were on screen, and what arrives meanwhile too.
  useEffect(() => markNotificationsRead(), [notifications]);
  const close = () => setOpen(false);
  return (
    <Drawer
      side="right"
      open={isOpen}
      onOpenChange={(next) => !next && close()}
      onClosed={() => layers.setNotifications(false)}
      title="Notifications"
      className="w-[min(24rem,100vw)] pt-safe pb-safe"
    >
      <header className="flex h-titlebar shrink-0 items-center justify-between gap-2 border-b border-border-hairline pr-2 pl-4">
        <h2 className="text-base font-semibold">Notifications</h2>
        <div className="flex items-center gap-1">
          {notifications.length > 0 && (
            <Button variant="ghost" size="sm" onClick={clearNotifications}>
              Clear all
            </Button>
          )}
          <IconButton label="Close" tooltip={false} onClick={close}>
            <X aria-hidden />
          </IconButton>
        </div>
      </header>
      {notifications.length === 0 ? (
        <EmptyState
          icon={<BellOff />}
          title="Nothing new"
          description="What plugins and the service tell you stays readable here while the window is open."
        />
      ) : (
        <ul className="min-h-0 flex-1 divide-y divide-border-hairline overflow-y-auto">
          {notifications.map((notification) => (
            <Entry key={notification.id} notification={notification} />
          ))}
        </ul>
      )}
    </Drawer>
  );
}

function Entry({ notification: { id, kind, title, description, pluginId, action, at } }: { notification: Notification }) {
  const { icon: KindIcon, className, word } = kLook[kind];
  const name = usePlugins().data?.find((record) => record.id === pluginId)?.name ?? pluginId;
  return (
    <li className="flex gap-3 py-3 pr-2 pl-4 text-sm">
      <KindIcon aria-hidden className={cn("mt-0.5 size-4 shrink-0", className)} />
      <div className="min-w-0 flex-1 wrap-anywhere">
        <p className="font-medium">
          <span className="sr-only">{word}: </span>
          {title}
        </p>
        {description !== undefined && <p className="mt-0.5 text-muted-foreground">{description}</p>}
        <p className="mt-1 flex items-center gap-2 text-xs text-muted-foreground">
          <time dateTime={new Date(at).toISOString()}>{kTime.format(at)}</time>
          {name !== undefined && <span>{name}</span>}
          {action !== undefined && (
            <Button variant="link" size="sm" className="text-xs" onClick={() => action.run()}>
              {action.label}
            </Button>
          )}
        </p>
      </div>
      <IconButton label={`Dismiss “${title}”`} size="sm" tooltip={false} onClick={() => dismissNotification(id)}>
        <X aria-hidden />
      </IconButton>
    </li>
  );
}
