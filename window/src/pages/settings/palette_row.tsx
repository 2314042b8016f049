import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useId } from "react";

import { api } from "@/api/http";
import { ApiError } from "@/lib/api_error";
import { DEFAULT_THEME_ID, type ThemeCatalog, type ThemeChange } from "@/api/theme_records";
import { notify } from "@/lib/notifications";
import { Select } from "@/ui/select";

import { SettingRow } from "./frame";

const kCatalogKey = ["system", "themes"];

/** The palette of all windows: the built-in one, files of the user, themes of plugins. Nothing where the service has none. */
export function PaletteRow() {
  const id = useId();
  const client = useQueryClient();
  const catalog = useQuery({
    queryKey: kCatalogKey,
    queryFn: ({ signal }) => api<ThemeCatalog>("GET", "/themes", { signal }),
    retry: false,
  });
  const choose = useMutation({
    mutationFn: (themeId: string) => api("PUT", "/theme", { body: { themeId } satisfies ThemeChange }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["system"] }),
    onError: (error) => notify({ kind: "error", title: "The palette could not be changed", description: error.message }),
  });
  if (catalog.error instanceof ApiError && catalog.error.status === 404) {
    return null;
  }
  const { themes = [], active, problems = [] } = catalog.data ?? {};
  const options = themes.map((theme) => ({
    value: theme.id,
    label: theme.name,
  }));
  const value = choose.isPending ? choose.variables : (active?.themeId ?? DEFAULT_THEME_ID);
  // The chosen one may be gone for a while, with its plugin.
  const shown = options.some((option) => option.value === value) ? options : [...options, { value, label: `${value} (not available)` }];
  return (
    <>
      <SettingRow htmlFor={id} label="Palette" description="For all windows of this service.">
        <Select
          id={id}
          value={value}
          onValueChange={choose.mutate}
          options={shown}
          disabled={catalog.data === undefined || choose.isPending}
          className="sm:w-56"
        />
      </SettingRow>
      {problems.map(({ id: themeId, message }) => (
        <p key={themeId} className="px-4 py-2 text-sm text-warning-text">
          {themeId}: {message}
        </p>
      ))}
    </>
  );
}
