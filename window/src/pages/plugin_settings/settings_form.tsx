import { useState } from "react";

import { counted } from "@/lib/format";
import { Button, EmptyState, Input } from "@/ui";

import { SecretControl } from "./secret_control";
import { searchFields, type SettingsFormModel } from "./settings_form_model";
import { useFields } from "./use_settings_form";
import { ValueControl } from "./value_control";

/** From how many fields on the form can be searched. */
const kSearchFrom = 12;

/** The controls of all settings, saved one by one as they are changed. */
export function SettingsForm({ model, hasSections }: { model: SettingsFormModel; hasSections: boolean }) {
  const [query, setQuery] = useState("");
  const fields = useFields(model);
  if (fields.length === 0) {
    return hasSections ? null : <p className="text-sm text-muted-foreground">This plugin has no settings.</p>;
  }
  const shown = fields.length < kSearchFrom ? fields : searchFields(fields, query);
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {fields.length >= kSearchFrom && (
        <div className="flex flex-wrap items-center gap-2">
          <Input
            type="search"
            aria-label="Search settings"
            placeholder="Search settings"
            value={query}
            onChange={(event) => setQuery(event.target.value)}
            className="max-w-sm min-w-40 flex-1"
          />
          <p role="status" className="text-sm text-muted-foreground">
            {query.trim() === "" ? counted(fields.length, "setting") : `${shown.length} of ${fields.length}`}
          </p>
        </div>
      )}
      {shown.length === 0 ? (
        <EmptyState
          title={`No setting matches “${query.trim()}”`}
          actions={<Button onClick={() => setQuery("")}>Clear the search</Button>}
        />
      ) : (
        <div className="flex min-w-0 flex-col divide-y divide-border-hairline rounded-lg border border-border-hairline bg-card px-4">
          {shown.map((field) =>
            field.kind === "secret" ? <SecretControl key={field.key} field={field} /> : <ValueControl key={field.key} field={field} />,
          )}
        </div>
      )}
    </div>
  );
}
