import X from "lucide-react/icons/x";
import { useEffect, useId, useMemo, useState } from "react";

import type { JsonValue } from "#sdk/json.js";
import { findJsonProblem } from "#sdk/json_problem.js";

import type { SurfaceContext } from "@/plugins/mount_context";
import { useRegistrations } from "@/plugins/registry";
import { SlotMount } from "@/plugins/slot_mount";
import { Banner } from "@/ui/banner";
import { IconButton } from "@/ui/button";
import { Card } from "@/ui/card";
import { UnshownForm } from "./unshown_form";

/** `L:interaction-payload` — bytes of JSON, each way. */
const kMaxAnswerBytes = 64 * 1024;

/** What a plugin asks and somebody has to answer. Times are epoch milliseconds. */
export interface PendingPluginInteraction {
  id: string;
  threadId: string;
  status: "pending" | "resolving";
  pluginId: string;
  rendererId: string;
  title: string;
  data: JsonValue;
  createdAt: number;
  expiresAt: number | null;
}

export interface PendingInteractionProps {
  interaction: PendingPluginInteraction;
  /** Name of the plugin as people know it. */
  pluginName: string;
  surface: SurfaceContext;
  /** Both reject with what to tell the user. */
  respond(value: JsonValue): Promise<void>;
  cancel(): Promise<void>;
}

/** Seconds until `expiresAt`; null when it never comes. */
function useSecondsLeft(expiresAt: number | null): number | null {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (expiresAt === null) {
      return;
    }
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [expiresAt]);
  return expiresAt === null ? null : Math.max(0, Math.ceil((expiresAt - now) / 1000));
}

export function timeLeftText(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return `${minutes}:${String(seconds % 60).padStart(2, "0")} left`;
}

/** What keeps an answer from being sent; undefined when nothing does. */
export function answerProblem(value: unknown): string | undefined {
  const problem = findJsonProblem(value, "$value");
  if (problem !== undefined) {
    return problem;
  }
  const size = new TextEncoder().encode(JSON.stringify(value)).length;
  return size > kMaxAnswerBytes ? `the answer has ${size} bytes of JSON, at most ${kMaxAnswerBytes} are taken` : undefined;
}

/** The question of a plugin, in a thread above its composer. */
export function PendingInteraction({ interaction, pluginName, surface, respond, cancel }: PendingInteractionProps) {
  const { id, threadId, pluginId, rendererId, title, data, createdAt, expiresAt } = interaction;
  const headingId = useId();
  const secondsLeft = useSecondsLeft(expiresAt);
  const [isBusy, setIsBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const renderer = useRegistrations("pendingInteractions").find(
    ({ plugin, registration }) => plugin.pluginId === pluginId && registration.id === rendererId,
  );
  const isResolving = isBusy || interaction.status === "resolving";

  const props = useMemo(() => {
    /** The form stays usable after a failure, and whoever submitted learns of it. */
    const run = async (action: () => Promise<void>) => {
      setIsBusy(true);
      setFailure(null);
      try {
        await action();
      } catch (thrown) {
        setFailure(thrown instanceof Error ? thrown.message : String(thrown));
        throw thrown;
      } finally {
        setIsBusy(false);
      }
    };
    return {
      interaction: { id, threadId, title, payload: data, createdAt, expiresAt },
      submit: (value: JsonValue) =>
        run(async () => {
          const problem = answerProblem(value);
          if (problem !== undefined) {
            throw new TypeError(problem);
          }
          await respond(value);
        }),
      cancel: () => run(cancel),
    };
  }, [id, threadId, title, data, createdAt, expiresAt, respond, cancel]);

  const withdraw = () => void props.cancel().catch(() => undefined);
  const unshown = { pluginId, pluginName, rendererId, isBusy: isResolving, onCancel: withdraw };
  return (
    <Card
      role="group"
      tabIndex={-1}
      data-svc-interaction=""
      aria-labelledby={headingId}
      className="relative flex flex-col gap-3 p-4 data-by-key:outline-2 data-by-key:outline-ring"
    >
      <header className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 pr-8 pointer-coarse:pr-10">
        <h2 id={headingId} className="text-base font-semibold wrap-anywhere">
          {title}
        </h2>
        <p className="text-xs text-muted-foreground">
          {pluginName}
          {secondsLeft !== null && <span className="tabular-nums"> · {timeLeftText(secondsLeft)}</span>}
        </p>
      </header>
      {failure !== null && (
        <Banner tone="error" role="alert" title="The answer was not delivered">
          {failure}
        </Banner>
      )}
      {renderer === undefined ? (
        <UnshownForm {...unshown} />
      ) : (
        <fieldset disabled={isResolving} aria-busy={isResolving} className="m-0 min-w-0 border-0 p-0">
          <SlotMount
            plugin={renderer.plugin}
            slot="pendingInteraction"
            id={rendererId}
            instanceId={id}
            surface={surface}
            component={renderer.registration.component}
            props={props}
            fallback={<UnshownForm {...unshown} hasCrashed />}
          />
        </fieldset>
      )}
      {renderer !== undefined && <Decline isBusy={isResolving} onClick={withdraw} />}
    </Card>
  );
}

/** A form need not have a way out of its own. After it in the order of keys, so that nobody takes it for the first field. */
function Decline({ isBusy, onClick }: { isBusy: boolean; onClick(): void }) {
  return (
    <IconButton
      label="Close without answering"
      size="sm"
      tooltipSide="left"
      className="absolute top-3 right-3 pointer-coarse:top-1 pointer-coarse:right-1"
      // Keeps the focus, unlike a disabled button.
      aria-disabled={isBusy || undefined}
      onClick={() => !isBusy && onClick()}
    >
      <X aria-hidden />
    </IconButton>
  );
}
