import { useCallback, useEffect, useRef, useState } from "react";

import type { PluginRecord } from "@/api/records";
import { CallForm } from "@/composer/open_form";
import { counted, formatDuration } from "@/lib/format";
import { Badge, Banner, Button, Card, ErrorNotice, Section } from "@/ui";

import { callTool, type PluginTool, type ToolOutcome, usePluginTools } from "@/pages/plugins/data";
import { fieldsOf, readArguments } from "@/pages/plugins/tool_form";
import { isServing } from "@/pages/plugins/status";

import { CallFields, SchemaDetails } from "./call_fields";

/** The tools that the plugin has for agents, each of which can be tried; nothing for a plugin without any. */
export function ToolsSection({ record }: { record: PluginRecord }) {
  const hasTools = isServing(record.status) && record.capabilities.some(({ kind }) => kind === "agent-tool");
  const tools = usePluginTools(record.id, hasTools).data;
  if (!hasTools || tools === undefined) {
    return null;
  }
  return (
    <Section title="Tools for agents">
      <Card>
        <ul className="divide-y divide-border-hairline">
          {tools.map((tool) => (
            <Tool key={tool.name} tool={tool} />
          ))}
        </ul>
      </Card>
    </Section>
  );
}

function Tool({ tool }: { tool: PluginTool }) {
  const [isOpen, setOpen] = useState(false);
  const { name, description, calls, errors, totalMs } = tool;
  return (
    <li className="flex min-w-0 flex-col gap-3 px-4 py-2.5 text-sm">
      <div className="flex min-w-0 flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-56">
          <div className="flex min-w-0 flex-wrap items-center gap-2">
            <code className="font-medium wrap-anywhere">{name}</code>
            {!tool.offered && <Badge tone="warning">Not offered: {tool.holder} has the name</Badge>}
          </div>
          <p className="text-muted-foreground wrap-anywhere">{description}</p>
          {calls > 0 && (
            <p className="text-xs text-muted-foreground">
              {counted(calls, "call")}, {formatDuration(totalMs / calls)} each on average
              {errors > 0 && `, ${counted(errors, "error")}`}
            </p>
          )}
        </div>
        <Button size="sm" aria-expanded={isOpen} aria-label={`Try ${name}`} onClick={() => setOpen(!isOpen)}>
          Try
        </Button>
      </div>
      {isOpen && <Trial tool={tool} />}
    </li>
  );
}

/** Arguments, the call and what came of it. */
function Trial({ tool }: { tool: PluginTool }) {
  const call = useCall(tool);
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <CallFields
        fields={fieldsOf(tool.inputSchema)}
        jsonLabel={`Arguments of ${tool.name} as JSON`}
        read={readArguments}
        isRunning={call.isRunning}
        onCall={(input) => void call.run(input)}
        onStop={call.stop}
      />
      {/* Beside it: a form within a form is none. */}
      {call.formId !== null && <CallForm key={call.formId} id={call.formId} onDone={call.answered} />}
      <Outcome call={call} />
      <SchemaDetails title="Schema" schema={tool.inputSchema} />
    </div>
  );
}

interface Call {
  isRunning: boolean;
  /** Of what the tool asks meanwhile; null while it asks nothing. */
  formId: string | null;
  outcome: ToolOutcome | null;
  failure: unknown;
  run(input: unknown): Promise<void>;
  stop(): void;
  /** What it asked is answered. */
  answered(this: void): void;
}

/** One call at a time; leaving the page ends it. */
function useCall({ pluginId, name }: PluginTool): Call {
  const [state, setState] = useState<Pick<Call, "isRunning" | "outcome" | "failure">>({ isRunning: false, outcome: null, failure: null });
  const [formId, setFormId] = useState<string | null>(null);
  const open = useRef<AbortController | null>(null);
  useEffect(() => () => open.current?.abort(), []);
  const run = async (input: unknown) => {
    const controller = new AbortController();
    open.current = controller;
    setState({ isRunning: true, outcome: null, failure: null });
    try {
      const outcome = await callTool({ pluginId, name, input, signal: controller.signal, onForm: setFormId });
      setState({ isRunning: false, outcome, failure: null });
    } catch (failure) {
      setState({ isRunning: false, outcome: null, failure: controller.signal.aborted ? null : failure });
    } finally {
      setFormId(null);
    }
  };
  const answered = useCallback(() => setFormId(null), []);
  return { ...state, formId, run, stop: () => open.current?.abort(), answered };
}

function Outcome({ call: { outcome, failure } }: { call: Call }) {
  if (failure !== null) {
    return <ErrorNotice title="The tool could not be called" error={failure} />;
  }
  if (outcome === null) {
    return null;
  }
  const { content, isError, durationMs } = outcome;
  return (
    <Banner
      tone={isError ? "error" : "info"}
      role="status"
      title={`${isError ? "The tool answered with an error" : "The tool answered"} after ${formatDuration(durationMs)}`}
    >
      {content.map((part, index) =>
        part.type === "image" ? (
          <img key={index} alt={`Result ${index + 1}`} className="max-w-full" src={`data:${part.mimeType};base64,${part.data}`} />
        ) : (
          <pre key={index} className="font-mono text-xs whitespace-pre-wrap text-foreground wrap-anywhere">
            {part.text}
          </pre>
        ),
      )}
    </Banner>
  );
}
