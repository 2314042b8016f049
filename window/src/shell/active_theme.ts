import { QueryObserver } from "@tanstack/react-query";

import { api } from "@/api/http";
import { ApiError } from "@/lib/api_error";
import { url } from "@/lib/address";
import { queryClient } from "@/api/queries";
import type { ActiveTheme } from "@/api/theme_records";
import { readToken } from "@/lib/token_colors";

import { setFaviconColor } from "./favicon";
import { notify } from "@/lib/notifications";
import { setCodeThemes, subscribeTheme, themeNow } from "@/lib/theme";

/** Below `system`: what watches the service's settings invalidates it. */
export const kActiveThemeKey = ["system", "theme"] as const;

/** The palette that is chosen for all windows; null where the service has no themes. */
export const activeThemeQuery = {
  queryKey: kActiveThemeKey,
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<ActiveTheme | null> => {
    try {
      return (await api<{ theme: ActiveTheme }>("GET", "/theme", { signal })).theme;
    } catch (failure) {
      if (failure instanceof ApiError && failure.status === 404) {
        return null;
      }
      throw failure;
    }
  },
};

const kLinkId = "svc-theme";

/** Loads the sheet beside the one in use and replaces that when it is there, so that the window never shows neither. Last in the head. */
export function applySheet(href: string | null): Promise<void> {
  const old = document.getElementById(kLinkId);
  if (href === null) {
    old?.remove();
    return Promise.resolve();
  }
  if (old instanceof HTMLLinkElement && old.href === href) {
    return Promise.resolve();
  }
  return new Promise((resolve, reject) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = href;
    link.addEventListener("load", () => {
      old?.remove();
      link.id = kLinkId;
      resolve();
    });
    link.addEventListener("error", () => {
      link.remove();
      reject(new Error(`the style sheet ${href} could not be loaded`));
    });
    document.head.append(link);
  });
}

async function reportContrast(name: string): Promise<void> {
  const { contrastFailures } = await import("@/lib/contrast");
  const failures = contrastFailures(readToken);
  if (failures.length === 0) {
    return;
  }
  const lines = failures.map(({ text, surface, ratio, min }) => `${text} on ${surface}: ${ratio.toFixed(2)}, needs ${min}`);
  console.warn(`theme “${name}” (${themeNow().mode}): contrast too low\n${lines.join("\n")}`);
  notify({
    kind: "warning",
    title: `The theme “${name}” is hard to read in places`,
    description: `${themeNow().mode === "dark" ? "Dark" : "Light"}: ${lines[0]}${lines.length > 1 ? `, and ${lines.length - 1} more pairs` : ""}.`,
  });
}

/** Follows the palette that the service keeps. A sheet that does not load leaves the one in use. */
export function startPalette(): () => void {
  let shown: string | null = null;
  let wanted: ActiveTheme | undefined;
  let loading = false;
  const checked = new Set<string>();

  const check = (theme: ActiveTheme) => {
    const key = `${theme.cssUrl}:${themeNow().mode}`;
    if (theme.cssUrl !== null && !checked.has(key)) {
      checked.add(key);
      void reportContrast(theme.name);
    }
  };
  // Loads one sheet at a time, and then the one that is wanted by now: a choice that comes while another one loads would be lost.
  const follow = async () => {
    loading = true;
    while (wanted !== undefined && wanted.cssUrl !== shown) {
      const theme: ActiveTheme = wanted;
      try {
        await applySheet(theme.cssUrl === null ? null : url(theme.cssUrl));
        shown = theme.cssUrl;
        setCodeThemes(theme.codeTheme ?? undefined);
        check(theme);
      } catch (failure) {
        notify({ kind: "error", title: `The theme “${theme.name}” could not be loaded`, description: String(failure) });
        if (wanted === theme) {
          break;
        }
      }
    }
    loading = false;
  };
  const show = (theme: ActiveTheme | null | undefined) => {
    if (theme == null) {
      return;
    }
    setFaviconColor(theme.faviconColor);
    wanted = theme;
    if (!loading) {
      void follow();
    }
  };
  const observer = new QueryObserver<ActiveTheme | null>(queryClient, activeThemeQuery);
  const stops = [
    observer.subscribe(({ data }) => show(data)),
    // The other mode of a theme has other pairs.
    subscribeTheme(() => {
      const theme = queryClient.getQueryData<ActiveTheme | null>(kActiveThemeKey);
      if (theme != null) {
        check(theme);
      }
    }),
  ];
  return () => stops.forEach((stop) => stop());
}
