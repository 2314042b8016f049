import { url } from "@/api/http";
import type { PluginRecord } from "@/api/records";
import { useTheme } from "@/shell/theme";

import { cn } from "./cn";

export interface PluginIconProps {
  record: Pick<PluginRecord, "name"> & Partial<Pick<PluginRecord, "iconUrl" | "logoUrl" | "logoDarkUrl">>;
  /** Size and so on; default 16 px. */
  className?: string;
}

/** What stands for a plugin: its logo, else its icon in the colour of the text, else the first letter of its name. */
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
  const letter = [...record.name.trim()][0]?.toUpperCase() ?? "?";
  return (
    <svg aria-hidden viewBox="0 0 16 16" className={cn("base:size-4 shrink-0", className)}>
      <rect width="16" height="16" rx="4" className="fill-secondary stroke-border" strokeWidth="0.5" />
      <text x="8" y="8.25" dominantBaseline="central" textAnchor="middle" className="fill-secondary-foreground text-[9px] font-semibold">
        {letter}
      </text>
    </svg>
  );
}
