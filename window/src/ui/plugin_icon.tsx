import { type ReactNode, useEffect } from "react";

import { url } from "@/lib/address";
import type { PluginRecord } from "#sdk/record.js";

import { requestLucideIcon, useLucideIcon } from "./lucide";
import { useTheme } from "@/lib/theme";

import { cn } from "./cn";

export interface PluginIconProps {
  record: Pick<PluginRecord, "name"> & Partial<Pick<PluginRecord, "icon" | "iconUrl" | "logoUrl" | "logoDarkUrl">>;
  /** Size and so on; default 16 px. */
  className?: string;
}

/**
 * What stands for a plugin: its logo, else its icon (a file in the colour of the text, or one of the window's by name), else the first
 * letter of its name.
 */
export function PluginIcon({ record, className }: PluginIconProps) {
  const { mode } = useTheme();
  const logo = (mode === "dark" ? record.logoDarkUrl : null) ?? record.logoUrl;
  if (logo) {
    return <img src={url(logo)} alt="" className={cn("base:size-4 shrink-0 rounded-sm object-contain", className)} />;
  }
  if (record.iconUrl) {
    const mask = `url("${url(record.iconUrl)}")`;
    return (
      <span
        aria-hidden
        className={cn("inline-block base:size-4 shrink-0 bg-current forced-colors:bg-[CanvasText]", className)}
        style={{ maskImage: mask, maskSize: "contain", maskRepeat: "no-repeat", maskPosition: "center" }}
      />
    );
  }
  return record.icon ? (
    <NamedIcon name={record.icon} plugin={record.name} className={className} />
  ) : (
    <Letter name={record.name} className={className} />
  );
}

interface TileProps {
  className: string | undefined;
}

function Tile({ className, children }: TileProps & { children?: ReactNode }) {
  return (
    <svg aria-hidden viewBox="0 0 16 16" className={cn("base:size-4 shrink-0 text-secondary-foreground", className)}>
      <rect width="16" height="16" rx="4" className="fill-secondary stroke-border" strokeWidth="0.5" />
      {children}
    </svg>
  );
}

function Letter({ name, className }: TileProps & { name: string }) {
  const letter = [...name.trim()][0]?.toUpperCase() ?? "?";
  return (
    <Tile className={className}>
      <text x="8" y="8.25" dominantBaseline="central" textAnchor="middle" className="fill-secondary-foreground text-[9px] font-semibold">
        {letter}
      </text>
    </Tile>
  );
}

/** A name that the window has no icon for leaves the letter. */
function NamedIcon({ name, plugin, className }: TileProps & { name: string; plugin: string }) {
  const Icon = useLucideIcon(name);
  useEffect(() => requestLucideIcon(name), [name]);
  if (Icon === null) {
    return <Letter name={plugin} className={className} />;
  }
  return <Tile className={className}>{Icon !== undefined && <Icon x={3} y={3} width={10} height={10} />}</Tile>;
}
