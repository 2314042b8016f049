import { useEffect, useMemo, useRef, useState } from "react";

import { api } from "@/api/http";
import { usePlugins } from "@/api/queries";
import type { PluginRecord } from "@/api/records";
import { useAllDiagnostics } from "@/plugins/diagnostics";
import type { PluginDiagnostics } from "@/plugins/types";

/** `GET /plugins/:id/dev-session`: whether `svc plugin dev` runs for the plugin, and the builds that fail. */
interface DevSession {
  active: boolean;
  problems: { kind: "app" | "host"; message: string }[];
}

/** Something that went wrong in a plugin that is being developed. */
export interface DevFailure {
  /** The same while it is the same failure. */
  key: string;
  /** `page`: in this window; `build`: it did not build, and the last good version runs on. */
  kind: "page" | "build";
  pluginId: string;
  pluginName: string;
  rootDir: string;
  message: string;
  stack: string | null;
}

interface Candidate {
  key: string;
  record: PluginRecord;
  page: { message: string; stack: string | null } | null;
}

/** What may be a failure to show, newest last. Whether it is, the service says. */
function candidatesOf(records: readonly PluginRecord[], diagnostics: ReadonlyMap<string, PluginDiagnostics>): Candidate[] {
  return records.flatMap((record) => {
    const { id, app, statusDetail } = record;
    const found: Candidate[] = [];
    const failure = diagnostics.get(id)?.lastFailure;
    if (failure !== undefined) {
      const { at, message, stack = null } = failure;
      found.push({ key: JSON.stringify([id, "page", at, message]), record, page: { message, stack } });
    }
    if (app.hasApp && statusDetail !== null) {
      found.push({ key: JSON.stringify([id, "build", statusDetail]), record, page: null });
    }
    return found;
  });
}

function failureOf({ key, record, page }: Candidate, session: DevSession): DevFailure | null {
  const plugin = { key, pluginId: record.id, pluginName: record.name, rootDir: record.rootDir };
  if (page !== null) {
    return session.active ? { ...plugin, kind: "page", ...page } : null;
  }
  const [problem] = session.problems;
  return session.active && problem !== undefined ? { ...plugin, kind: "build", message: problem.message, stack: null } : null;
}

/** The failure to show, and what takes it away. Nothing is asked of the service while nothing fails. */
export function useDevFailure(): { failure: DevFailure | null; dismiss(): void } {
  const records = usePlugins().data;
  const diagnostics = useAllDiagnostics();
  const candidates = useMemo(() => candidatesOf(records ?? [], diagnostics), [records, diagnostics]);
  const [shown, setShown] = useState<ReadonlyMap<string, DevFailure>>(new Map());
  const [dismissed, setDismissed] = useState<ReadonlySet<string>>(new Set());
  const asked = useRef(new Set<string>());

  useEffect(() => {
    const present = new Set(candidates.map(({ key }) => key));
    // What was there and came back is asked for again.
    asked.current = new Set([...asked.current].filter((key) => present.has(key)));
    for (const candidate of candidates.filter(({ key }) => !asked.current.has(key))) {
      asked.current.add(candidate.key);
      api<DevSession>("GET", `/plugins/${encodeURIComponent(candidate.record.id)}/dev-session`)
        .then((session) => {
          const failure = failureOf(candidate, session);
          if (failure !== null) {
            setShown((before) => new Map(before).set(failure.key, failure));
            setDismissed((before) => new Set([...before].filter((key) => key !== failure.key)));
          }
        })
        // A service that does not answer has nobody who develops.
        .catch(() => undefined);
    }
  }, [candidates]);

  const failure = candidates.map(({ key }) => shown.get(key)).findLast((each) => each !== undefined && !dismissed.has(each.key)) ?? null;
  return {
    failure,
    dismiss: () => failure !== null && setDismissed((before) => new Set(before).add(failure.key)),
  };
}
