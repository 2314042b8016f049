import { useId } from "react";

import { ownMember } from "@/lib/own";
import { useRegistrations } from "@/plugins/registry";
import { candidateKey, type ExclusiveCandidate, type ExclusiveKind, kBuiltin, kExclusiveSlots, useExclusivePin } from "@/plugins/exclusive";
import { kFileOpenersKey, kNoFileOpeners } from "@/plugins/file_openers";
import { usePreference } from "@/lib/preferences";
import { setTheme, type ThemeChoice, useTheme } from "@/lib/theme";
import { Card, Section } from "@/ui/card";
import { Select, type SelectOption } from "@/ui/select";

import { SettingRow } from "./frame";
import { PaletteRow } from "./palette_row";

const kModes: readonly SelectOption[] = [
  { value: "system", label: "As the system" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
];
// Stands for "no pin": slot order decides.
const kAutomatic = "";

export function AppearanceSection() {
  const id = useId();
  const { choice } = useTheme();
  return (
    <>
      <Section title="Theme">
        <Card className="divide-y divide-border-hairline">
          <SettingRow htmlFor={id} label="Light or dark" description="Kept in this browser.">
            <Select id={id} value={choice} onValueChange={(next) => setTheme(next as ThemeChoice)} options={kModes} className="sm:w-56" />
          </SettingRow>
          <PaletteRow />
        </Card>
      </Section>
      <Replacements />
      <FileOpeners />
    </>
  );
}

/** Parts of the window that one plugin at a time replaces. */
function Replacements() {
  return (
    <Section title="Parts of the window" description="Plugins can take the place of these. Kept in this browser.">
      <Card className="divide-y divide-border-hairline">
        {(Object.keys(kExclusiveSlots) as ExclusiveKind[]).map((kind) => (
          <Replacement key={kind} kind={kind} />
        ))}
      </Card>
    </Section>
  );
}

function optionsOf(candidates: readonly ExclusiveCandidate[]): SelectOption[] {
  const first = candidates[0];
  return [
    { value: kAutomatic, label: first === undefined ? "The window's own" : `Automatic: ${first.plugin.name}` },
    ...(first === undefined ? [] : [{ value: kBuiltin, label: "The window's own" }]),
    ...candidates.map((candidate) => ({
      value: candidateKey(candidate),
      label: `${candidate.registration.title} (${candidate.plugin.name})`,
    })),
  ];
}

function Replacement({ kind }: { kind: ExclusiveKind }) {
  const id = useId();
  const candidates = useRegistrations(kind) as readonly unknown[] as readonly ExclusiveCandidate[];
  const [pin, setPin] = useExclusivePin(kind);
  const options = optionsOf(candidates);
  // A pin may name a plugin that is not loaded now; it counts again when that returns.
  const isAway = pin !== undefined && !options.some(({ value }) => value === pin);
  const all = isAway ? [...options, { value: pin, label: `${pin} (not loaded)` }] : options;
  return (
    <SettingRow
      htmlFor={id}
      label={kExclusiveSlots[kind].title}
      {...(candidates.length === 0 && !isAway ? { description: "No plugin replaces it." } : {})}
    >
      <Select
        id={id}
        value={pin ?? kAutomatic}
        onValueChange={(next) => setPin(next === kAutomatic ? undefined : next)}
        options={all}
        disabled={all.length < 2}
        className="sm:w-56"
      />
    </SettingRow>
  );
}

function FileOpeners() {
  const registrations = useRegistrations("fileOpeners");
  const extensions = [...new Set(registrations.flatMap(({ registration }) => registration.extensions))].sort();
  if (extensions.length === 0) {
    return null;
  }
  return (
    <Section title="File types" description="What opens a file. Kept in this browser.">
      <Card className="divide-y divide-border-hairline">
        {extensions.map((extension) => (
          <FileOpener key={extension} extension={extension} />
        ))}
      </Card>
    </Section>
  );
}

function FileOpener({ extension }: { extension: string }) {
  const id = useId();
  const [pins, setPins] = usePreference<Record<string, string>>(kFileOpenersKey, kNoFileOpeners);
  const openers = useRegistrations("fileOpeners").filter(({ registration }) => registration.extensions.includes(extension));
  const choose = (next: string) =>
    setPins(({ [extension]: _, ...others }) => (next === kAutomatic ? others : { ...others, [extension]: next }) as Record<string, string>);
  return (
    <SettingRow htmlFor={id} label={`.${extension}`}>
      <Select
        id={id}
        value={ownMember(pins, extension) ?? kAutomatic}
        onValueChange={choose}
        options={[
          { value: kAutomatic, label: `Automatic: ${openers[0]?.registration.title ?? "the window's own"}` },
          { value: kBuiltin, label: "The window's own" },
          ...openers.map(({ plugin, registration }) => ({
            value: `${plugin.pluginId}/${registration.id}`,
            label: `${registration.title} (${plugin.name})`,
          })),
        ]}
        className="sm:w-56"
      />
    </SettingRow>
  );
}
