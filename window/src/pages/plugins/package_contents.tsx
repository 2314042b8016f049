import { counted, formatBytes } from "@/lib/format";
import { Banner, Card, Section } from "@/ui";
import { Fact, Facts } from "@/ui/page";

import type { PackageAbout } from "./install_model";

/** The parts of a plugin and what each of them can do, for who has not met the words. */
const kEntries: readonly { key: keyof PackageAbout["entries"]; term: string; text: string }[] = [
  { key: "server", term: "On the server", text: "code that runs in the service: commands, methods, schedules, tools for agents" },
  { key: "app", term: "In the window", text: "pages, panels or parts of them, in every window" },
  { key: "host", term: "On machines", text: "code that runs on the machines of agents when it is called" },
];

const kKinds = [
  { kind: "skill", term: "Skills" },
  { kind: "theme", term: "Themes" },
] as const;

/** What a package brings, and what it needs. What its code registers shows when it runs. */
export function PackageContents({ about }: { about: PackageAbout }) {
  const { engines, dependencies } = about;
  const needs = [engines.svc === null ? null : `svc ${engines.svc}`, engines.svcPluginSdk === null ? null : `SDK ${engines.svcPluginSdk}`];
  return (
    <Section title="Includes">
      {about.problems.map(({ code, message }) => (
        <Banner key={`${code} ${message}`} tone="warning" title="Not all of it works">
          {message}
        </Banner>
      ))}
      <Card className="px-4 py-3">
        <Facts>
          {kEntries.map(
            ({ key, term, text }) =>
              about.entries[key] && (
                <Fact key={key} term={term}>
                  {text}
                </Fact>
              ),
          )}
          {kKinds.map(({ kind, term }) => {
            const found = about.capabilities.filter((capability) => capability.kind === kind);
            return found.length === 0 ? null : (
              <Fact key={kind} term={term}>
                <ul>
                  {found.map(({ id, label, detail }) => (
                    <li key={id}>
                      {label}
                      {detail !== null && <span className="text-muted-foreground"> – {detail}</span>}
                    </li>
                  ))}
                </ul>
              </Fact>
            );
          })}
          <Fact term="Needs">{needs.filter((need) => need !== null).join(", ") || "any version of the service"}</Fact>
          <Fact term="Dependencies">{dependencies.length === 0 ? "none" : dependencies.join(", ")}</Fact>
          <Fact term="Size">
            {formatBytes(about.bytes)} in {counted(about.files, "file")}
            {dependencies.length > 0 && ", without its dependencies"}
          </Fact>
          <Fact term="Package">
            <code>{about.package}</code>
          </Fact>
          <Fact term="License">{about.license ?? "none is named"}</Fact>
          {about.homepage !== null && (
            <Fact term="Home page">
              <a href={about.homepage} target="_blank" rel="noopener noreferrer" className="underline underline-offset-2">
                {about.homepage}
              </a>
            </Fact>
          )}
        </Facts>
      </Card>
    </Section>
  );
}
