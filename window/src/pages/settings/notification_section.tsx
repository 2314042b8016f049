import { useState } from "react";

import { usePreference } from "@/lib/preferences";
import { kSystemNotifications, permissionNow } from "@/shell/system_notifications";
import { Card, Section } from "@/ui/card";
import { Switch } from "@/ui/switch";

import { SettingRow } from "./frame";

const kTexts = {
  granted: "When a thread asks, fails or is done while this window is not in front.",
  default: "When a thread asks, fails or is done while this window is not in front. The browser asks whether it may.",
  denied: "The browser does not let this page show them. Its settings for this site can change that.",
  unavailable: "This browser has none for this page: they need https, or a server on this computer.",
};

/** What the window tells outside of itself. */
export function NotificationSection() {
  const [isWanted, setWanted] = usePreference<boolean>(kSystemNotifications, false);
  const [permission, setPermission] = useState(permissionNow);
  const change = async (wanted: boolean) => {
    if (wanted && permissionNow() === "default") {
      await Notification.requestPermission();
    }
    setPermission(permissionNow());
    setWanted(wanted && permissionNow() === "granted" ? true : undefined);
  };
  const isPossible = permission === "granted" || permission === "default";
  return (
    <Section title="Notifications" description="Kept in this browser.">
      <Card>
        <SettingRow label="Notifications of the system" description={kTexts[permission]} htmlFor="system-notifications">
          <Switch
            id="system-notifications"
            checked={isWanted && permission === "granted"}
            disabled={!isPossible}
            onCheckedChange={(wanted) => void change(wanted)}
          />
        </SettingRow>
      </Card>
    </Section>
  );
}
