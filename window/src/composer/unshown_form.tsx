import { Link } from "react-router";

import { usePlugins } from "@/api/queries";
import { paths } from "@/lib/navigation";
import { placeholderState, type PlaceholderState } from "@/plugins/placeholder_state";
import { useActivePlugins, useDiagnostics } from "@/plugins/registry";
import { Button } from "@/ui/button";
import { Spinner } from "@/ui/spinner";

/** Why a plugin's form cannot be seen, as the end of a sentence; null while it may still come. */
function reasonOf({ kind }: PlaceholderState, rendererId: string): string | null {
  switch (kind) {
    case "loading":
      return null;
    case "unreachable":
      return "the server does not answer";
    case "removed":
      return "the plugin is not installed";
    case "disabled":
      return "the plugin is switched off";
    case "held":
      return "safe mode holds the plugin";
    case "stopped":
      return "the plugin is not running";
    case "failed":
      return "the plugin’s pages could not be loaded here";
    case "needs-update":
      return "the plugin’s pages were built for another version of the service";
    case "no-app":
      return "the plugin has no pages";
    case "unknown-panel":
      return `the plugin has no form “${rendererId}”`;
  }
}

interface UnshownFormProps {
  pluginId: string;
  pluginName: string;
  rendererId: string;
  /** Whether it was shown, and stopped working. */
  hasCrashed?: boolean;
  isBusy: boolean;
  onCancel(): void;
}

/** In place of a plugin's form that is not there: why, and the way out. */
export function UnshownForm({ pluginId, pluginName, rendererId, hasCrashed = false, isBusy, onCancel }: UnshownFormProps) {
  const { data, isError } = usePlugins();
  const isActive = useActivePlugins().some((plugin) => plugin.pluginId === pluginId);
  const diagnostics = useDiagnostics(pluginId);
  const record = data?.find(({ id }) => id === pluginId);
  const state = placeholderState({ record, areRecordsKnown: data !== undefined, isError, diagnostics, isActive });
  const reason = hasCrashed ? "the form stopped working" : reasonOf(state, rendererId);
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 text-sm">
      {reason === null ? (
        <p role="status" className="flex items-center gap-2 text-muted-foreground">
          <Spinner className="size-4 shrink-0" />
          Loading the form of {pluginName}…
        </p>
      ) : (
        <p role="status" className="min-w-40 flex-1 wrap-anywhere text-muted-foreground">
          {pluginName} cannot show its question in this window: {reason}. Cancelling lets what asked go on.{" "}
          {record !== undefined && (
            <Link to={paths.pluginDetail(pluginId)} className="underline underline-offset-4">
              About the plugin
            </Link>
          )}
        </p>
      )}
      <Button isBusy={isBusy} onClick={onCancel}>
        Cancel
      </Button>
    </div>
  );
}
