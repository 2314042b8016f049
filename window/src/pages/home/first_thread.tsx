import { useId } from "react";

import { useThreadLists } from "@/sdk_app/threads_data";
import { useAgents } from "@/composer/execution";
import { navigation } from "@/lib/navigation";

const kFirst = [
  { title: "Look around", prompt: "Look at what is in this folder and tell me in a few sentences what it is." },
  {
    title: "Write a plugin",
    prompt: "Write a small plugin for this service with a page of its own, install it, and show me how it is used.",
  },
  {
    title: "Say what you can do",
    prompt: "Which tools and commands of this service can you use? Give me three things I could ask you for.",
  },
] as const;

/** What to do with agents that nobody has asked yet; nothing once there is a thread. */
export function FirstThread() {
  const headingId = useId();
  const { status, threads } = useThreadLists();
  const agents = useAgents().filter(({ available }) => available);
  if (status !== "ready" || threads.length > 0 || agents.length === 0) {
    return null;
  }
  const names = new Intl.ListFormat("en", { type: "conjunction" }).format(agents.map(({ displayName }) => displayName));
  return (
    <section aria-labelledby={headingId} className="flex min-w-0 flex-col gap-3">
      <div>
        <h2 id={headingId} className="text-sm font-medium">
          Start the first thread
        </h2>
        <p className="mt-1 text-sm text-pretty wrap-anywhere text-muted-foreground">
          {names} can be asked now. Write above what should be done, or begin with one of these:
        </p>
      </div>
      <ul className="grid gap-2 md:grid-cols-3">
        {kFirst.map(({ title, prompt }) => (
          <li key={title} className="min-w-0">
            <button
              type="button"
              onClick={() => navigation.toCompose({ initialPrompt: prompt, focusPrompt: true })}
              className="flex h-full min-h-11 w-full cursor-pointer flex-col gap-1 rounded-lg border border-border-hairline bg-surface-raised-solid p-3 text-left text-sm transition-colors hover:bg-state-hover"
            >
              <span className="font-medium">{title}</span>
              <span className="text-muted-foreground">{prompt}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
