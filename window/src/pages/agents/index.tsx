import { SettingsPage } from "@/pages/settings/frame";

import { CallsSection, ClientsSection } from "./activity_sections";
import { ConnectSection } from "./connect_section";
import { TokensSection } from "./tokens_section";

/** `/settings/agents`: how clients are connected, which tokens they have, who is there and what was called. */
export default function AgentsPage() {
  return (
    <SettingsPage section="agents" title="Agents & MCP">
      <ConnectSection />
      <ClientsSection />
      <CallsSection />
      <TokensSection />
    </SettingsPage>
  );
}
