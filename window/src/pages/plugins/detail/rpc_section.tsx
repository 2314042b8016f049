import { useEffect, useRef, useState } from "react";

import type { PluginRecord } from "@/api/records";
import { url } from "@/lib/address";
import { ApiError } from "@/lib/api_error";
import { formatDuration } from "@/lib/format";
import { callMethod, usePluginMethods } from "@/pages/plugins/data";
import { asCurl, asSvc, descriptionOf, inputFields, type RpcMethod, rpcPath, takesNothing } from "@/pages/plugins/rpc_model";
import { isServing } from "@/pages/plugins/status";
import { readAnyJson } from "@/pages/plugins/tool_form";
import { Badge, Banner, Button, Card, ErrorNotice, Section } from "@/ui";
import { CopyButton } from "@/ui/copy_button";

import { CallFields, SchemaDetails } from "./call_fields";

/** The methods of the plugin, each of which can be called; nothing for a plugin without any. */
export function RpcSection({ record }: { record: PluginRecord }) {
  const methods = usePluginMethods(record.id, isServing(record.status));
  if (!isServing(record.status) || (methods.data?.length ?? 0) === 0) {
    return methods.isError ? (
      <Section title="Methods">
        <ErrorNotice
          title="The methods could not be loaded"
          error={methods.error}
          isRetrying={methods.isFetching}
          onRetry={() => void methods.refetch()}
        />
      </Section>
    ) : null;
  }
  return (
    <Section title="Methods">
      <Card>
        <ul className="divide-y divide-border-hairline">
          {methods.data?.map((method) => (
            <Method key={method.method} method={method} />
          ))}
        </ul>
      </Card>
    </Section>
  );
}

function Method({ method }: { method: RpcMethod }) {
  const [isOpen, setOpen] = useState(false);
  const description = descriptionOf(method);
  return (
    <li className="flex min-w-0 flex-col gap-3 px-4 py-2.5 text-sm">
      <div className="flex min-w-0 flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-56">
          <div className="flex min-w-0 flex-wrap items-center gap-2">
            <code className="font-medium wrap-anywhere">{method.method}</code>
            {method.published && <Badge>Published</Badge>}
          </div>
          {description !== "" && <p className="text-muted-foreground wrap-anywhere">{description}</p>}
        </div>
        <Button size="sm" aria-expanded={isOpen} aria-label={`Try the method ${method.method}`} onClick={() => setOpen(!isOpen)}>
          Try
        </Button>
      </div>
      {isOpen && <Trial method={method} />}
    </li>
  );
}

/** Input, the call and what came of it. */
function Trial({ method }: { method: RpcMethod }) {
  const call = useMethodCall(method);
  const fields = inputFields(method);
  const address = url(`/api/v1${rpcPath(method.pluginId, method.method)}`).toString();
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {takesNothing(method) && <p className="text-xs text-muted-foreground">It takes no input.</p>}
      {method.inputSchema === undefined && (
        <p className="text-xs text-muted-foreground">Its validator does not say what it takes: write the input as JSON, or nothing.</p>
      )}
      <CallFields
        fields={fields}
        jsonLabel={`Input of ${method.method} as JSON`}
        firstJson={method.inputSchema === undefined ? "" : "{}"}
        read={readAnyJson}
        isRunning={call.isRunning}
        onCall={(input) => void call.run(takesNothing(method) ? null : input)}
        onStop={call.stop}
        more={(input) => (
          <>
            <CopyCommand label="Copy as curl" input={input} command={(value) => asCurl(address, takesNothing(method) ? null : value)} />
            <CopyCommand label="Copy as svc" input={input} command={(value) => asSvc(method, takesNothing(method) ? null : value)} />
          </>
        )}
      />
      <Outcome call={call} />
      {method.inputSchema !== undefined && !takesNothing(method) && (
        <SchemaDetails title="Schema of the input" schema={method.inputSchema} />
      )}
      {method.outputSchema !== undefined && <SchemaDetails title="Schema of the result" schema={method.outputSchema} />}
    </div>
  );
}

function CopyCommand({ label, input, command }: { label: string; input: () => unknown; command(this: void, input: unknown): string }) {
  const text = () => {
    const value = input();
    if (value === undefined) {
      throw new Error("The input cannot be read yet.");
    }
    return command(value);
  };
  return <CopyButton isLabelled label={label} text={text} />;
}

interface MethodCall {
  isRunning: boolean;
  /** Of the last call: what it gave after how many milliseconds. */
  outcome: { result: unknown; took: number } | null;
  failure: unknown;
  run(input: unknown): Promise<void>;
  stop(): void;
}

/** One call at a time; leaving the page ends it. */
function useMethodCall({ pluginId, method }: RpcMethod): MethodCall {
  const [state, setState] = useState<Pick<MethodCall, "isRunning" | "outcome" | "failure">>({
    isRunning: false,
    outcome: null,
    failure: null,
  });
  const open = useRef<AbortController | null>(null);
  useEffect(() => () => open.current?.abort(), []);
  const run = async (input: unknown) => {
    const controller = new AbortController();
    open.current = controller;
    setState({ isRunning: true, outcome: null, failure: null });
    const start = performance.now();
    try {
      const result = await callMethod({ pluginId, method, input, signal: controller.signal });
      setState({ isRunning: false, outcome: { result, took: performance.now() - start }, failure: null });
    } catch (failure) {
      setState({ isRunning: false, outcome: null, failure: controller.signal.aborted ? null : failure });
    }
  };
  return { ...state, run, stop: () => open.current?.abort() };
}

function Outcome({ call: { outcome, failure } }: { call: MethodCall }) {
  if (failure !== null) {
    return (
      <>
        <ErrorNotice title="The call failed" error={failure} />
        <Issues failure={failure} />
      </>
    );
  }
  if (outcome === null) {
    return null;
  }
  const text = JSON.stringify(outcome.result, null, 2);
  return (
    <Banner
      tone="info"
      role="status"
      title={`It answered after ${formatDuration(outcome.took)}`}
      actions={<CopyButton text={text} label="Copy the result" />}
    >
      <pre className="max-h-96 overflow-auto font-mono text-xs whitespace-pre-wrap text-foreground wrap-anywhere">{text}</pre>
    </Banner>
  );
}

/** Which values of the input were refused, where the message does not say it all, and the code for programs. */
function Issues({ failure }: { failure: unknown }) {
  if (!(failure instanceof ApiError)) {
    return null;
  }
  return (
    <div className="text-xs text-muted-foreground">
      {failure.issues !== undefined && failure.issues.length > 1 && (
        <ul className="list-disc ps-5 text-destructive-text">
          {failure.issues.map(({ path = [], message }, index) => (
            <li key={index} className="wrap-anywhere">
              {path.length > 0 && <code>{path.join(".")}: </code>}
              {message}
            </li>
          ))}
        </ul>
      )}
      <p>
        Code <code>{failure.code}</code>
      </p>
    </div>
  );
}
