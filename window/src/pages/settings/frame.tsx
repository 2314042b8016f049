import { type ReactNode, useLayoutEffect, useRef } from "react";
import { Link } from "react-router";

import { kSettingsPlaces } from "@/lib/places";
import { cn } from "@/ui/cn";

export type SectionId = (typeof kSettingsPlaces)[number]["id"];

/** A page of the settings: the sections at the left, above it on narrow windows. */
export function SettingsPage({ section, title, children }: { section: SectionId; title: string; children: ReactNode }) {
  const nav = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    // On narrow windows the sections are wider than the page; the one that is shown is not out of sight.
    const current = nav.current?.querySelector<HTMLElement>('[aria-current="page"]');
    if (nav.current && current) {
      nav.current.scrollLeft = current.offsetLeft - (nav.current.clientWidth - current.offsetWidth) / 2;
    }
  }, [section]);
  return (
    <div className="mx-auto flex w-full max-w-5xl flex-col gap-x-10 gap-y-6 px-4 py-6 md:flex-row md:px-8">
      <nav ref={nav} aria-label="Settings" className="relative shrink-0 max-md:-mx-4 max-md:overflow-x-auto max-md:px-4 md:w-44">
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
      <div className="flex min-w-0 flex-1 flex-col gap-8">
        <h1 tabIndex={-1} className="text-xl font-semibold">
          {title}
        </h1>
        {children}
      </div>
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
