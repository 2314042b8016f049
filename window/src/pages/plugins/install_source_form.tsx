import { useEffect, useId, useRef } from "react";

import { ApiError } from "@/lib/api_error";
import { Select } from "@/ui";
import { TextField } from "@/ui/text_field";

import { type InstallForm, mayHoldSeveral, type Selection } from "./install_model";
import type { InstallFlow } from "./use_install_flow";

export interface InstallSourceFormProps {
  /** Of the form element, for a submit button outside of it. */
  id: string;
  flow: InstallFlow;
}

const kKinds: readonly { value: Selection["kind"]; label: string }[] = [
  { value: "root", label: "The plugin at its root" },
  { value: "subdirectory", label: "A directory inside it" },
  { value: "entry", label: "A plugin it lists" },
];

function isAboutSelection(failure: unknown): boolean {
  const reason = failure instanceof ApiError ? (failure.details as { reason?: unknown } | undefined)?.reason : undefined;
  return reason === "no_manifest" || reason === "not_found";
}

/** The source, and for repositories which plugin of them. */
export function InstallSourceForm({ id, flow }: InstallSourceFormProps) {
  const { form, issue, failure } = flow;
  const isFixed = flow.entry !== null;
  const details = useRef<HTMLDetailsElement>(null);
  const hasChoice = mayHoldSeveral(form.source);
  const opens = (hasChoice && isAboutSelection(failure)) || (issue !== null && issue.field !== "source");
  useEffect(() => {
    if (opens && details.current !== null) {
      details.current.open = true;
    }
  }, [opens]);
  const set = (change: Partial<InstallForm>) => flow.setForm({ ...form, ...change });
  const issueOf = (field: keyof InstallForm) => (issue?.field === field ? issue.issue : null);
  return (
    <form
      id={id}
      noValidate
      className="flex flex-col gap-4 pb-3"
      onSubmit={(event) => {
        event.preventDefault();
        flow.submit();
      }}
    >
      {!isFixed && (
        <TextField
          label="Source"
          value={form.source}
          autoFocus
          onChange={(source) => set({ source })}
          issue={issueOf("source")}
          placeholder="/home/me/svc-plugin-hello"
          hint={
            <>
              A directory on the server's machine (<code>/path/to/plugin</code>), a git repository (<code>https://…</code> or{" "}
              <code>git:…@branch</code>) or an npm package (<code>npm:name@^1</code>).
            </>
          }
        />
      )}
      {!isFixed && hasChoice && (
        <details ref={details} className="rounded-md border border-border-hairline px-3 py-2 text-sm">
          <summary className="cursor-pointer py-0.5 font-medium">Several plugins in one repository</summary>
          <div className="flex flex-col gap-4 pt-3 pb-1">
            <KindField kind={form.kind} onChange={(kind) => set({ kind })} />
            {form.kind === "subdirectory" && (
              <TextField
                label="Directory"
                value={form.subdirectory}
                onChange={(subdirectory) => set({ subdirectory })}
                issue={issueOf("subdirectory")}
                placeholder="plugins/hello"
              />
            )}
            {form.kind === "entry" && (
              <TextField
                label="Plugin"
                value={form.entry}
                onChange={(entry) => set({ entry })}
                issue={issueOf("entry")}
                hint={
                  <>
                    A name in the repository's <code>.svc/plugins.json</code>.
                  </>
                }
              />
            )}
            <TextField
              label="Tag prefix"
              value={form.tagPrefix}
              onChange={(tagPrefix) => set({ tagPrefix })}
              issue={issueOf("tagPrefix")}
              hint={
                <>
                  Optional: what stands before <code>v1.2.3</code> in the tags of this plugin.
                </>
              }
            />
          </div>
        </details>
      )}
    </form>
  );
}

function KindField({ kind, onChange }: { kind: Selection["kind"]; onChange(kind: Selection["kind"]): void }) {
  const labelId = useId();
  return (
    <div className="flex flex-col gap-1">
      <span id={labelId} className="font-medium">
        Which one
      </span>
      <Select aria-labelledby={labelId} value={kind} onValueChange={(value) => onChange(value as Selection["kind"])} options={kKinds} />
    </div>
  );
}
