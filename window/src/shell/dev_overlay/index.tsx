import { lazy, Suspense } from "react";

import { useDevFailure } from "./dev_failures";

const Overlay = lazy(() => import("./overlay"));

/** While `svc plugin dev` runs for a plugin: what fails in it, over the page. */
export function DevOverlay() {
  const { failure, dismiss } = useDevFailure();
  return failure === null ? null : (
    <Suspense fallback={null}>
      <Overlay key={failure.key} failure={failure} onDismiss={dismiss} />
    </Suspense>
  );
}
