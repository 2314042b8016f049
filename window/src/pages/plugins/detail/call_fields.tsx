import { type ReactNode, useId, useState } from "react";

import { ownMember } from "@/lib/own";
import { argumentsOf, type FieldValues, type ReadInput, type Schema, type ToolField } from "@/pages/plugins/tool_form";
import { Button, Switch } from "@/ui";
import { Input, Textarea } from "@/ui/input";
import { Select } from "@/ui/select";

export interface CallFieldsProps {
  /** Null when the schema does not say which there are: then the input is written as JSON. */
  fields: readonly ToolField[] | null;
  /** Names the text field for JSON. */
  jsonLabel: string;
  /** What the JSON field begins with. */
  firstJson?: string;
  /** Of the JSON field. */
  read(this: void, text: string): ReadInput;
  isRunning: boolean;
  onCall(this: void, input: unknown): void;
  onStop(this: void): void;
  /** Further buttons; `input` reads what a call would send, and undefined when that cannot be read. */
  more?: (input: () => unknown) => ReactNode;
}

/** The input of a call, as fields or as JSON, and its buttons. */
export function CallFields({ fields, jsonLabel, firstJson = "{}", read, isRunning, onCall, onStop, more }: CallFieldsProps) {
  const [isJson, setJson] = useState(fields === null);
  const [values, setValues] = useState<FieldValues>({});
  const [text, setText] = useState(firstJson);
  const [problem, setProblem] = useState<string | null>(null);

  const readAll = () => (isJson || fields === null ? read(text) : argumentsOf(fields, values));
  const input = () => {
    const all = readAll();
    setProblem("problem" in all ? all.problem : null);
    return "value" in all ? all.value : undefined;
  };
  const toJson = () => {
    const all = fields === null ? { value: {} } : argumentsOf(fields, values);
    setText(JSON.stringify("value" in all ? all.value : {}, null, 2));
    setJson(true);
  };
  return (
    <form
      className="flex min-w-0 flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        const given = input();
        if (given !== undefined) {
          onCall(given);
        }
      }}
    >
      {isJson || fields === null ? (
        <Textarea aria-label={jsonLabel} value={text} onChange={(event) => setText(event.target.value)} />
      ) : (
        fields.map((field) => (
          <Field
            key={field.name}
            field={field}
            value={ownMember(values, field.name)}
            onChange={(value) => setValues({ ...values, [field.name]: value })}
          />
        ))
      )}
      {problem !== null && (
        <p role="alert" className="text-xs text-destructive-text">
          {problem}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" size="sm" variant="primary" isBusy={isRunning}>
          Call
        </Button>
        {isRunning && (
          <Button size="sm" onClick={onStop}>
            Stop
          </Button>
        )}
        {fields !== null && fields.length > 0 && (
          <Button size="sm" variant="ghost" onClick={isJson ? () => setJson(false) : toJson}>
            {isJson ? "Show fields" : "Show JSON"}
          </Button>
        )}
        {more?.(input)}
      </div>
    </form>
  );
}

function Field({
  field,
  value,
  onChange,
}: {
  field: ToolField;
  value: string | boolean | undefined;
  onChange(value: string | boolean): void;
}) {
  const id = useId();
  const { name, kind, isRequired, description, options } = field;
  const text = typeof value === "string" ? value : "";
  const about = description === "" ? {} : { "aria-describedby": `${id}-about` };
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label id={`${id}-label`} htmlFor={id} className="text-xs font-medium">
        {name}
        {isRequired && <span className="text-muted-foreground"> (required)</span>}
      </label>
      {kind === "switch" ? (
        <Switch id={id} aria-labelledby={`${id}-label`} checked={value === true} onCheckedChange={onChange} {...about} />
      ) : kind === "choice" ? (
        <Select
          id={id}
          value={text}
          onValueChange={onChange}
          options={options.map((option) => ({ value: option, label: option }))}
          {...about}
        />
      ) : kind === "json" ? (
        <Textarea id={id} value={text} placeholder="JSON" onChange={(event) => onChange(event.target.value)} {...about} />
      ) : (
        <Input
          id={id}
          value={text}
          inputMode={kind === "number" ? "decimal" : "text"}
          onChange={(event) => onChange(event.target.value)}
          {...about}
        />
      )}
      {description !== "" && (
        <p id={`${id}-about`} className="text-xs text-muted-foreground wrap-anywhere">
          {description}
        </p>
      )}
    </div>
  );
}

/** A schema, folded away. */
export function SchemaDetails({ title, schema }: { title: string; schema: Schema }) {
  return (
    <details className="text-xs">
      <summary className="cursor-pointer text-muted-foreground">{title}</summary>
      <pre className="mt-1 overflow-x-auto rounded-md bg-surface-recessed-solid p-2">{JSON.stringify(schema, null, 2)}</pre>
    </details>
  );
}
