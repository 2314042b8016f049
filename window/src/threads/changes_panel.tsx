import { Changes } from "./changes";

/** `Changes` in a tab, which it fills. */
export default function ChangesPanel({ environmentId }: { environmentId: string }) {
  return (
    <div className="h-full min-h-0 overflow-y-auto p-3">
      <Changes environmentId={environmentId} />
    </div>
  );
}
