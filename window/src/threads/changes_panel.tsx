import { Link } from "react-router";

import { paths } from "@/lib/navigation";
import { Changes } from "./changes";

/** `Changes` in a tab, which it fills. */
export default function ChangesPanel({ environmentId }: { environmentId: string }) {
  return (
    <div className="flex h-full min-h-0 flex-col gap-3 overflow-y-auto p-3">
      <Changes environmentId={environmentId} />
      <p className="text-xs">
        <Link to={paths.environment(environmentId)} className="text-link underline-offset-2 hover:underline">
          All of this workspace
        </Link>
      </p>
    </div>
  );
}
