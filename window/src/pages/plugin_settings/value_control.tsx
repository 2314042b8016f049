import { memo, type ReactNode, useId } from "react";

import { Button, Input, Select, type SelectOption, Switch, Textarea } from "@/ui";

import { isComposing } from "@/lib/composing";
import { useStore } from "@/lib/store";
import { FieldFrame, partsOf } from "./field_frame";
import type { Draft } from "./setting_values";
import { useProjects } from "./use_projects";
import type { ValueField } from "./value_field";

/** `L:multiline`: the rows of a text area, at least and at most. */
const kMinRows = 6;
const kMaxRows = 24;

/** The control of one setting that is not a secret. */
export const ValueControl = memo(function ValueControl({ field }: { field: ValueField }) {
  const id = useId();
  const { draft, save, canReset } = useStore(field.store);
  const { descriptor } = field;
  const isSwitch = descriptor.type === "boolean";
  const isChoice = descriptor.type === "select" || descriptor.type === "project";
  const parts = partsOf(id, descriptor, save);
  return (
    <FieldFrame
      id={id}
      fieldKey={field.key}
      descriptor={descriptor}
      save={save}
      isInline={isSwitch}
      isLabelled={isSwitch || isChoice}
      onRetry={() => void field.commit()}
      control={controlOf(field, draft, parts)}
      actions={
        canReset && (
          <Button
            size="sm"
            variant="link"
            className="min-h-6 text-xs pointer-coarse:min-h-11"
            aria-describedby={`${id}-label`}
            onClick={() => void field.reset()}
          >
            {resetText(field)}
          </Button>
        )
      }
    />
  );
});

function resetText({ descriptor }: ValueField): string {
  return descriptor.default === undefined ? "Clear" : "Reset to default";
}

type Parts = ReturnType<typeof partsOf>;

function controlOf(field: ValueField, draft: Draft, parts: Parts): ReactNode {
  const { descriptor } = field;
  const labelled = { ...parts, "aria-labelledby": `${parts.id}-label` };
  switch (descriptor.type) {
    case "boolean":
      return <Switch {...labelled} checked={draft === true} onCheckedChange={(checked) => field.edit(checked)} />;
    case "select":
      return (
        <Choice
          parts={labelled}
          draft={draft}
          field={field}
          options={(descriptor.options ?? []).map((value) => ({ value, label: value }))}
        />
      );
    case "project":
      return <ProjectControl parts={labelled} draft={draft} field={field} />;
    default:
      return descriptor.experimental_multiline === true ? (
        <TextArea parts={parts} draft={draft} field={field} />
      ) : (
        <Line parts={parts} draft={draft} field={field} />
      );
  }
}

interface ControlProps {
  parts: Parts;
  draft: Draft;
  field: ValueField;
}

function Line({ parts, draft, field }: ControlProps) {
  return (
    <Input
      {...parts}
      value={String(draft)}
      inputMode={field.descriptor.type === "number" ? "decimal" : undefined}
      autoComplete="off"
      spellCheck={false}
      className="max-w-xl"
      onChange={(event) => field.edit(event.target.value)}
      onBlur={() => void field.blur()}
      onKeyDown={(event) => {
        if (event.key === "Enter" && !isComposing(event.nativeEvent)) {
          void field.commit();
        }
      }}
    />
  );
}

function TextArea({ parts, draft, field }: ControlProps) {
  const text = String(draft);
  const rows = Math.min(kMaxRows, Math.max(kMinRows, text.split("\n").length));
  return (
    <Textarea
      {...parts}
      value={text}
      rows={rows}
      spellCheck={false}
      // The rows are the limit: the field must not grow with its content beyond them.
      className="field-sizing-fixed max-w-3xl resize-y font-mono text-xs"
      onChange={(event) => field.edit(event.target.value)}
      onBlur={() => void field.blur()}
    />
  );
}

function Choice({ parts, draft, field, options }: ControlProps & { options: readonly SelectOption[] }) {
  return (
    <Select
      {...parts}
      value={String(draft)}
      options={options}
      placeholder="Not set"
      className="max-w-xs"
      onValueChange={(value) => field.edit(value)}
    />
  );
}

/** A dropdown of projects; a line for the id while this service cannot list them. */
function ProjectControl(props: ControlProps) {
  const projects = useProjects();
  if (projects === null) {
    return (
      <>
        <Line {...props} />
        <p className="text-xs text-muted-foreground">The id of a project; this version of the service cannot list them.</p>
      </>
    );
  }
  const options = projects.map(({ id, name }) => ({ value: id, label: name }));
  const value = String(props.draft);
  const isKnown = value === "" || options.some((option) => option.value === value);
  return <Choice {...props} options={isKnown ? options : [...options, { value, label: `${value} (unknown project)` }]} />;
}
