import { Markdown } from "@/sdk_app/markdown";
import { Card, Section } from "@/ui";

import { lowerHeadings } from "@/pages/plugins/lower_headings";

/** Markdown leaves the first level to the page; the section has the second. */
const kHeadingLevels = 1;

/** What the plugin's authors say about it; nothing when they say nothing. */
export function OverviewSection({ overview }: { overview: string | null }) {
  if (overview === null || overview.trim() === "") {
    return null;
  }
  return (
    <Section title="Overview">
      <Card className="px-4 py-3">
        <Markdown content={lowerHeadings(overview, kHeadingLevels)} className="text-sm wrap-anywhere" />
      </Card>
    </Section>
  );
}
