import { Badge, type BadgeTone, Spinner } from "@/ui";

import type { StatusBadge as Badged } from "./status";

const kTones: Readonly<Record<Badged["tone"], BadgeTone>> = {
  neutral: "neutral",
  warning: "warning",
  error: "error",
  info: "accent",
};

export function StatusBadge({ badge, title }: { badge: Badged; title?: string | undefined }) {
  return (
    <Badge tone={kTones[badge.tone]} title={title}>
      {badge.isBusy === true && <Spinner className="size-3" />}
      {badge.label}
    </Badge>
  );
}
