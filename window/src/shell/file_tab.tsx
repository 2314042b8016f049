import { lazy, Suspense } from "react";

import { kThreadFileAction, type ThreadFile } from "@/plugins/thread_file";
import { Loading } from "@/ui/spinner";

import type { OwnAction } from "./right_panel_content";

const ThreadFilePanel = lazy(() => import("@/threads/thread_file_panel"));

/** Tabs of the right panel with files of a thread; messages, plugins and the service open them. */
export const kFileTab: OwnAction = {
  id: kThreadFileAction,
  title: "File",
  icon: "FileText",
  render: (params) => {
    const { threadId, ...file } = params as unknown as ThreadFile & { threadId: string };
    return (
      <Suspense fallback={<Loading />}>
        <ThreadFilePanel threadId={threadId} file={file} />
      </Suspense>
    );
  },
};
