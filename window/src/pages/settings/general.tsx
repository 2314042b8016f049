import { SafeModeCard } from "@/pages/plugins/safe_mode_card";
import { kSidebarWidth, sidebar } from "@/shell/sidebar_state";
import { usePreference } from "@/lib/preferences";
import { notify } from "@/lib/notifications";
import { Button } from "@/ui/button";
import { Card, Section } from "@/ui/card";

import { SettingRow } from "./frame";
import { NotificationSection } from "./notification_section";

const kNone: string[] = [];

/** The service as a whole, and what the window remembers about its sidebar. */
export function GeneralSection() {
  const [hidden, setHidden] = usePreference<string[]>("sidebar.hidden", kNone);
  const [order, setOrder] = usePreference<string[]>("sidebar.order", kNone);
  const reset = () => {
    setHidden(undefined);
    setOrder(undefined);
    sidebar.setWidth(kSidebarWidth);
    notify({ kind: "success", title: "The sidebar is as it was in the beginning" });
  };
  return (
    <>
      <SafeModeCard />
      <NotificationSection />
      <Section title="Sidebar" description="Kept in this browser.">
        <Card>
          <SettingRow
            label="Order and hidden rows"
            description={
              hidden.length === 0 && order.length === 0
                ? "Plugin pages stand in their usual order. Drag rows, or use a row's menu, to change it."
                : `${hidden.length === 0 ? "No row is" : `${hidden.length} ${hidden.length === 1 ? "row is" : "rows are"}`} hidden${order.length > 0 ? ", and the order is yours" : ""}.`
            }
          >
            <Button onClick={reset}>Reset</Button>
          </SettingRow>
        </Card>
      </Section>
    </>
  );
}
