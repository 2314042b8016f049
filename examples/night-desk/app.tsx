// Exclusive parts of the window: the first plugin that registers one replaces the built-in part, which it gets as `Original`. People pin
// another one, or the built-in, under Settings → Appearance. The theme is in the manifest and theme.css.
import {
  definePluginApp,
  experimental_Icon as Icon,
  experimental_useSidebarThreads,
  type PluginThreadListProps,
} from "@get-svc/plugin-sdk/app";

export default definePluginApp((app) => {
  // A name for the whole window: this plugin's row uses it, others may.
  app.experimental_icons.register({ name: "night-desk-lamp", component: Lamp });

  app.slots.experimental_sidebarHeader({
    id: "header",
    title: "Night desk header",
    description: "The name of the desk above the sidebar's rows.",
    component: Header,
  });

  app.slots.experimental_threadList({
    id: "threads",
    title: "Threads with a count",
    description: "The built-in list, below how many threads there are.",
    component: ThreadList,
  });

  app.slots.experimental_providerIcon({ providerId: "night-desk", icon: Lamp });
});

function Lamp({ className }: { className?: string }) {
  return (
    <svg
      aria-hidden="true"
      className={className}
      viewBox="0 0 24 24"
      width="1em"
      height="1em"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
    >
      <path d="M8 2h8l4 10H4z M12 12v7 M8 21h8" />
    </svg>
  );
}

function Header({ controlSize }: { controlSize: number }) {
  return (
    <p className="flex min-w-0 items-center gap-2 px-2 text-sm font-medium" style={{ minHeight: controlSize }}>
      <Icon name="night-desk-lamp" className="size-4 shrink-0 text-primary" />
      <span className="truncate">Night desk</span>
    </p>
  );
}

function ThreadList({ Original }: PluginThreadListProps) {
  const { status, threads } = experimental_useSidebarThreads();
  return (
    <>
      {status === "ready" && threads.length > 0 && (
        <p className="px-2 py-1 text-xs text-muted-foreground tabular-nums">
          {threads.length === 1 ? "1 thread" : `${threads.length} threads`}
        </p>
      )}
      <Original />
    </>
  );
}
