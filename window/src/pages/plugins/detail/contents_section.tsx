import { Link } from "react-router";

import type { PluginRecord } from "@/api/records";
import { Card, Section } from "@/ui";

import { formatBytes } from "@/lib/format";
import { paths } from "@/lib/navigation";
import { Fact, Facts } from "@/ui/page";

type Capability = PluginRecord["capabilities"][number];

const kKinds: readonly { kind: Capability["kind"]; term: string }[] = [
  { kind: "skill", term: "Skills" },
  { kind: "agent-tool", term: "Tools for agents" },
  { kind: "theme", term: "Themes" },
  { kind: "thread-integration", term: "Thread integrations" },
];

/** What the plugin adds to the service. */
export function ContentsSection({ record }: { record: PluginRecord }) {
  const { cliCommand, capabilities, providerIds } = record;
  const bundle = record.app.bundle;
  const isEmpty = cliCommand === null && capabilities.length === 0 && providerIds.length === 0 && !record.app.hasApp;
  return (
    <Section title="Includes">
      <Card className="px-4 py-3">
        {isEmpty ? (
          <p className="text-sm text-muted-foreground">No user interface, command, skill, tool or theme.</p>
        ) : (
          <Facts>
            {record.app.hasApp && (
              <Fact term="User interface">
                {bundle === null
                  ? "Declared, but not built"
                  : `${formatBytes(bundle.jsBytes)} of JavaScript, bundle ${bundle.hash}, SDK ${bundle.sdkVersion}${bundle.compatible ? "" : " (not compatible with this service)"}`}
              </Fact>
            )}
            {cliCommand !== null && (
              <Fact term="Command">
                <code>svc {cliCommand.name}</code> {cliCommand.summary !== "" && `– ${cliCommand.summary}`}
                {cliCommand.shadowed && (
                  <span className="text-warning-text">
                    {" "}
                    A command of the service or of another plugin has this name; use <code>svc plugin run {record.id}</code>.
                  </span>
                )}
              </Fact>
            )}
            {kKinds.map(({ kind, term }) => {
              const found = capabilities.filter((capability) => capability.kind === kind);
              return found.length === 0 ? null : (
                <Fact key={kind} term={term}>
                  <ul>
                    {found.map(({ id, label, detail }) => (
                      <li key={id}>
                        {kind === "skill" ? (
                          <Link to={paths.skill(`plugin:${record.id}:${id}`)} className="underline underline-offset-2">
                            {label}
                          </Link>
                        ) : (
                          label
                        )}
                        {detail !== null && detail !== "" && <span className="text-muted-foreground"> – {detail}</span>}
                      </li>
                    ))}
                  </ul>
                </Fact>
              );
            })}
            {providerIds.length > 0 && <Fact term="Agent providers">{providerIds.join(", ")}</Fact>}
          </Facts>
        )}
      </Card>
    </Section>
  );
}
