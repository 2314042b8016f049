import { readPreference, writePreference } from "@/lib/preferences";

import type { FailedBundle } from "./plugin_host";

const kTold = "plugins.told";
const kNobody: { [pluginId: string]: string } = {};

/** Whether the user of this browser was told already that this bundle is wrong. */
function wasTold({ pluginId, hash }: FailedBundle): boolean {
  return readPreference(kTold, kNobody)[pluginId] === hash;
}

/**
 * Tells about a bundle that failed: once, by a window that is looked at, since a wrong bundle fails in each window and at each load. What
 * may go well another time is told each time. Everything else stays to be seen: the mark of the row, the plugin's page and its log.
 */
export function tellOnce(failed: FailedBundle, tell: () => void, page: Document = document): void {
  const attempt = () => {
    if (page.visibilityState !== "visible") {
      return false;
    }
    if (failed.isTemporary) {
      tell();
    } else if (!wasTold(failed)) {
      writePreference(kTold, { ...readPreference(kTold, kNobody), [failed.pluginId]: failed.hash });
      tell();
    }
    return true;
  };
  if (!attempt()) {
    const onVisible = () => {
      if (attempt()) {
        page.removeEventListener("visibilitychange", onVisible);
      }
    };
    page.addEventListener("visibilitychange", onVisible);
  }
}
