import { useParams } from "react-router";

import { kSettingsPlaces } from "@/lib/places";
import NotFoundPage from "@/pages/not_found";

import { AboutSection } from "./about";
import { AppearanceSection } from "./appearance";
import { SettingsPage } from "./frame";
import { GeneralSection } from "./general";
import { ShortcutsSection } from "./shortcuts";

const kContents = {
  general: GeneralSection,
  appearance: AppearanceSection,
  shortcuts: ShortcutsSection,
  about: AboutSection,
};

/** `/settings` and `/settings/:section`. */
export default function SettingsRoute() {
  const { section = "general" } = useParams();
  const found = kSettingsPlaces.find((known) => known.id === section);
  if (found === undefined || found.id === "agents") {
    return <NotFoundPage />;
  }
  const Content = kContents[found.id];
  return (
    <SettingsPage section={found.id} title={found.title}>
      <Content />
    </SettingsPage>
  );
}
