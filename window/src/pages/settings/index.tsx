import { useLocation, useParams } from "react-router";

import NotFoundPage from "@/pages/not_found";

import { AboutSection } from "./about";
import { AppearanceSection } from "./appearance";
import { kSections, SettingsPage } from "./frame";
import { GeneralSection } from "./general";
import { PluginsSection } from "./plugins";
import { ShortcutsSection } from "./shortcuts";

const kContents = {
  general: GeneralSection,
  appearance: AppearanceSection,
  shortcuts: ShortcutsSection,
  plugins: PluginsSection,
  about: AboutSection,
};

/** `/settings`, `/settings/plugins` and `/settings/:section`. */
export default function SettingsRoute() {
  const { section } = useParams();
  const isPlugins = useLocation().pathname.replace(/\/$/, "") === "/settings/plugins";
  const id = isPlugins ? "plugins" : (section ?? "general");
  const found = kSections.find((known) => known.id === id);
  if (found === undefined || found.id === "machines" || found.id === "agents" || found.id === "projects") {
    return <NotFoundPage />;
  }
  const Content = kContents[found.id];
  return (
    <SettingsPage section={found.id} title={found.title}>
      <Content />
    </SettingsPage>
  );
}
