import type { PermissionMode, ReasoningLevel } from "#sdk/records.js";

import { ownMember } from "@/lib/own";
import { Select, type SelectOption } from "@/ui/select";
import { type ExecutionChoice, modelOf, nearestLevel, useProviderModels } from "./execution";

/** The one that asks most first. */
const kModes: { value: PermissionMode; label: string }[] = [
  { value: "auto", label: "Asks first" },
  { value: "accept-edits", label: "Edits without asking" },
  { value: "full", label: "Never asks" },
];

/** What a ceiling allows, in the order of the service, which differs from what is asked most. */
const kByCeiling: readonly PermissionMode[] = ["accept-edits", "auto", "full"];

const kLevels: Record<ReasoningLevel, string> = {
  none: "No reasoning",
  low: "Low",
  medium: "Medium",
  high: "High",
  xhigh: "Very high",
  ultracode: "Ultracode",
  max: "Maximum",
  ultra: "Ultra",
};

/** The modes that a machine allows: those up to its ceiling. */
export function modesUpTo(ceiling: PermissionMode): { value: PermissionMode; label: string }[] {
  const allowed = kByCeiling.slice(0, kByCeiling.indexOf(ceiling) + 1);
  return kModes.filter(({ value }) => allowed.includes(value));
}

export interface ExecutionPickersProps {
  providerId: string;
  /** What is used where nothing is chosen. */
  current: { model?: string | null; reasoningLevel?: ReasoningLevel | null; permissionMode?: PermissionMode | null };
  choice: ExecutionChoice;
  onChoice(choice: ExecutionChoice): void;
  canChooseMode?: boolean;
}

/** Model, effort and mode of the next message. What an agent leaves no choice in is not shown. */
export function ExecutionPickers({ providerId, current, choice, onChoice, canChooseMode = true }: ExecutionPickersProps) {
  const offered = useProviderModels(providerId);
  const model = modelOf(offered, choice.model ?? current.model);
  const mode = choice.permissionMode ?? current.permissionMode;
  const levels = model?.supportedReasoningEfforts ?? [];
  const wanted = choice.reasoningLevel ?? current.reasoningLevel;
  const level = nearestLevel(wanted, model);
  const models: SelectOption[] = offered.models.map(({ id, displayName }) => ({ value: id, label: displayName }));
  if (model !== undefined && !models.some(({ value }) => value === model.id)) {
    models.push({ value: model.id, label: model.displayName });
  }
  const modes = modesUpTo(offered.permissionCeiling);
  return (
    <>
      {models.length > 0 && (
        <Select
          aria-label="Model"
          className="max-w-40 shrink"
          placeholder="Model"
          value={model?.id ?? ""}
          options={models}
          onValueChange={(next) => onChoice({ ...choice, model: next })}
        />
      )}
      {levels.length > 1 && (
        <Select
          aria-label="Reasoning"
          className="max-w-28 shrink"
          value={level}
          options={levels.map(({ reasoningEffort }) => ({
            value: reasoningEffort,
            label: ownMember(kLevels, reasoningEffort) ?? reasoningEffort,
          }))}
          onValueChange={(next) => onChoice({ ...choice, reasoningLevel: next as ReasoningLevel })}
        />
      )}
      {mode !== undefined && mode !== null && (
        <Select
          aria-label="Permission mode"
          className="max-w-36 shrink"
          value={mode}
          // One that the machine no longer allows is shown as it is.
          options={
            modes.some(({ value }) => value === mode)
              ? modes
              : kModes.filter(({ value }) => value === mode || modes.some((known) => known.value === value))
          }
          disabled={!canChooseMode}
          onValueChange={(next) => onChoice({ ...choice, permissionMode: next as PermissionMode })}
        />
      )}
    </>
  );
}
