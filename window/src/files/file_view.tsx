import { createContext, type ReactNode, use, useEffect, useMemo } from "react";

import type { PluginFileOpenerProps, PluginFileSource } from "#sdk/app/slots/files.js";

import { notify } from "@/lib/notifications";
import type { FileOpener } from "@/plugins/file_openers";
import { SlotMount, type SurfaceContext } from "@/plugins/slot_mount";

import { FilePreview, type FilePreviewProps } from "./file_preview";

const kNoSource: PluginFileSource = { kind: "host", threadId: null, environmentId: null, projectId: null };

const Shown = createContext<FilePreviewProps | null>(null);

/** What a plugin's view is given as `Original`: one component for all files, so that nothing is mounted anew. */
function Original(): ReactNode {
  const props = use(Shown);
  return props === null ? null : <FilePreview {...props} />;
}

const kStoppedTold = new WeakSet<FileOpener["plugin"]>();

/** In place of a view that crashed: the window's own, and one toast. */
function Stopped({ opener }: { opener: FileOpener }) {
  const { plugin, registration } = opener;
  useEffect(() => {
    if (!kStoppedTold.has(plugin)) {
      kStoppedTold.add(plugin);
      notify({
        kind: "error",
        pluginId: plugin.pluginId,
        title: `${plugin.name} stopped working`,
        description: `Files for “${registration.title}” are shown as they come with the window.`,
      });
    }
  }, [plugin, registration]);
  return <Original />;
}

interface FileViewProps extends FilePreviewProps {
  opener: FileOpener | undefined;
  /** Where a plugin is told that it lies, and its path there; without it lies on its machine. */
  place?: { path: string; source: PluginFileSource };
  surface?: SurfaceContext;
}

/** A file as a plugin shows it, or the window. */
export function FileView({ opener, place, surface, ...props }: FileViewProps) {
  const { hostId, path, line } = props;
  const { kind, threadId, environmentId, projectId } = place?.source ?? kNoSource;
  const shownPath = place?.path ?? path;
  const given = useMemo<PluginFileOpenerProps>(
    () => ({
      path: shownPath,
      source: { kind, threadId, environmentId, projectId, experimental_hostId: hostId },
      ...(line === null ? {} : { experimental_lineRange: { start: line, end: line } }),
      Original,
      experimental_Original: Original,
    }),
    [hostId, shownPath, kind, threadId, environmentId, projectId, line],
  );
  return (
    <Shown value={props}>
      {opener === undefined ? (
        <Original />
      ) : (
        <SlotMount
          plugin={opener.plugin}
          slot="fileOpener"
          id={opener.registration.id}
          instanceId={`${hostId}:${path}`}
          {...(surface === undefined ? {} : { surface })}
          component={opener.registration.component}
          props={given}
          fallback={() => <Stopped opener={opener} />}
        />
      )}
    </Shown>
  );
}
