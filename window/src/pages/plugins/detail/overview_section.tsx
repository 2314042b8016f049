import { Card, Section } from "@/ui";
import { Markdown } from "@/sdk_app/markdown";

/** What the plugin's authors say about it; nothing when they say nothing. */
export function OverviewSection({ overview }: { overview: string | null }) {
  if (overview === null || overview.trim() === "") {
    return null;
  }
  return (
    <Section title="Overview">
      <Card className="px-4 py-3">
        <Markdown content={overview} className="text-sm wrap-anywhere" />
      </Card>
    </Section>
  );
}
