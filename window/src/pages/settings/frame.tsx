import { type ReactNode, useLayoutEffect, useRef, useState } from "react";
import { Link } from "react-router";

import { usePlugins } from "@/api/queries";
import { paths } from "@/lib/navigation";
import { kSettingRows, kSettingsPlaces } from "@/lib/places";
import { scoreItem } from "@/shell/palette/matching";
import { cn } from "@/ui/cn";
import { Input } from "@/ui/input";

export type SectionId = (typeof kSettingsPlaces)[number]["id"];

/** A page of the settings: the sections at the left, above it on narrow windows. */
export function SettingsPage({ section, title, children }: { section: SectionId; title: string; children: ReactNode }) {
  const nav = useRef<HTMLElement>(null);
  const [query, setQuery] = useState("");
  useLayoutEffect(() => {
    // On narrow windows the sections are wider than the page; the one that is shown is not out of sight.
    const current = nav.current?.querySelector<HTMLElement>('[aria-current="page"]');
    if (nav.current && current) {
      nav.current.scrollLeft = current.offsetLeft - (nav.current.clientWidth - current.offsetWidth) / 2;
    }
  }, [section]);
  return (
    <div className="mx-auto flex w-full max-w-5xl flex-col gap-x-10 gap-y-6 px-4 py-6 md:flex-row md:px-8">
      <div className="flex shrink-0 flex-col gap-2 md:w-48">
        <Input
          type="search"
          aria-label="Search settings"
          placeholder="Search settings"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
        {query.trim() !== "" && <Found query={query} />}
        <nav
          ref={nav}
          aria-label="Settings"
          className={cn("relative max-md:-mx-4 max-md:overflow-x-auto max-md:px-4", query.trim() !== "" && "hidden")}
        >
          <ul className="flex gap-px py-1 md:flex-col">
            {kSettingsPlaces.map(({ id, title: label, to }) => (
              <li key={id}>
                <Link
                  to={to}
                  {...(id === section ? { "aria-current": "page" as const } : {})}
                  className={cn(
                    "flex h-8 items-center rounded-md px-2.5 whitespace-nowrap text-sm text-muted-foreground hover:bg-state-hover hover:text-foreground pointer-coarse:h-11",
                    "aria-[current=page]:bg-state-active aria-[current=page]:font-medium aria-[current=page]:text-foreground forced-colors:aria-[current=page]:outline-2",
                  )}
                >
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
      </div>
      <div className="flex min-w-0 flex-1 flex-col gap-8">
        <h1 tabIndex={-1} className="text-xl font-semibold">
          {title}
        </h1>
        {children}
      </div>
    </div>
  );
}

/** Settings of the window and of plugins that match, the best first. */
function Found({ query }: { query: string }) {
  const plugins = usePlugins().data ?? [];
  const entries = [
    ...kSettingsPlaces.map((place) => ({ ...place, group: "Settings" })),
    ...kSettingRows.map((place) => ({ ...place, group: "Settings" })),
    ...plugins
      .filter(({ hasSettings }) => hasSettings)
      .map(({ id, name }) => ({ id: `plugin:${id}`, title: name, group: "Plugin", keywords: [id], to: paths.pluginSettings(id) })),
  ];
  const found = entries
    .map((entry) => ({ entry, score: scoreItem(query, entry) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
  return (
    <div role="status" className="flex flex-col gap-px text-sm">
      {found.length === 0 && <p className="px-2.5 py-1 text-muted-foreground">No setting matches “{query.trim()}”.</p>}
      <ul aria-label="Settings that match">
        {found.map(({ entry: { id, title, group, to } }) => (
          <li key={id}>
            <Link to={to} className="flex min-h-8 items-center gap-2 rounded-md px-2.5 hover:bg-state-hover pointer-coarse:min-h-11">
              <span className="min-w-0 flex-1 wrap-anywhere">{title}</span>
              {group === "Plugin" && <span className="text-xs text-muted-foreground">Plugin</span>}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** A setting in a card: what it is at the left, its control at the right. */
export function SettingRow({
  label,
  description,
  htmlFor,
  children,
}: {
  label: ReactNode;
  description?: ReactNode;
  htmlFor?: string;
  children: ReactNode;
}) {
  const Label = htmlFor === undefined ? "p" : "label";
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 px-4 py-3">
      <div className="min-w-48 flex-1">
        <Label {...(htmlFor === undefined ? {} : { htmlFor })} className="text-sm font-medium wrap-anywhere">
          {label}
        </Label>
        {description !== undefined && <p className="mt-0.5 text-sm text-pretty text-muted-foreground">{description}</p>}
      </div>
      <div className="shrink-0 max-sm:w-full">{children}</div>
    </div>
  );
}
