// The message composer and the page around it: an action, a banner, an entry of the plus menu, text that stands out, a command, and
// a section of the new-thread page.
import { definePluginApp, experimental_useRpcQuery, useComposer, useComposerView, useSvcNavigate } from "@get-svc/plugin-sdk/app";

import type { Snippet } from "./server";

/** Where a draft leaves something open. */
const kPlaceholder = /\bTODO\b|<[a-z][a-z ]*>/g;
/** Characters from which a prompt gets hard to follow. */
const kLong = 1_500;

export default definePluginApp((app) => {
  app.composer.customize({
    id: "kit",
    actions: [{ id: "words", component: WordCount }],
    banners: [{ id: "long", component: LongPrompt }],
    plusMenu: [
      {
        id: "checklist",
        label: "Checklist",
        icon: "ListChecks",
        description: "Asks for a plan first",
        run: ({ composer }) => composer.insert("First make a plan as a checklist, then wait.", { at: "end", block: true }),
      },
    ],
    richText: {
      effects: [
        {
          id: "placeholder",
          className: "rounded-sm bg-warning/30",
          match: (text) => [...text.matchAll(kPlaceholder)].map(({ index, 0: found }) => ({ start: index, end: index + found.length })),
        },
      ],
    },
  });

  app.composer.experimental_registerCommand({
    id: "tidy",
    title: "Tidy the draft",
    run: ({ composer }) =>
      composer.updateText((text) =>
        text
          .replace(/[ \t]+$/gm, "")
          .replace(/\n{3,}/g, "\n\n")
          .trim(),
      ),
  });

  app.slots.homepageSection({ id: "snippets", title: "Snippets", component: Snippets });
});

function WordCount() {
  const { draft } = useComposerView();
  const words = draft.text.split(/\s+/).filter(Boolean).length;
  return <span className="px-1 text-xs text-muted-foreground tabular-nums">{words === 1 ? "1 word" : `${words} words`}</span>;
}

function LongPrompt() {
  const composer = useComposer();
  return composer.text.length < kLong ? null : <p className="text-sm">Long prompts are easier to follow with a summary first.</p>;
}

function Snippets() {
  const { toCompose } = useSvcNavigate();
  const composer = useComposer();
  const { data, error, isLoading } = experimental_useRpcQuery<Snippet[]>({
    method: "snippets",
    realtime: [{ channel: "snippets-changed" }],
  });
  if (isLoading) {
    return <p className="text-sm text-muted-foreground">Loading…</p>;
  }
  if (data === undefined || data.length === 0) {
    return <p className="text-sm text-muted-foreground">{error?.message ?? "No snippets yet: add some in the plugin's settings."}</p>;
  }
  return (
    <ul className="grid gap-2 sm:grid-cols-2">
      {data.map(({ id, title, text }) => (
        <li key={id}>
          <button
            type="button"
            className="flex h-full w-full flex-col rounded-lg border border-border bg-card p-3 text-left text-sm hover:bg-state-hover"
            onClick={() => {
              // What was typed already stays.
              if (composer.isEmpty) {
                toCompose({ initialPrompt: text, focusPrompt: true });
              } else {
                composer.insert(text, { at: "end", block: true });
                composer.focus();
              }
            }}
          >
            <span className="font-medium">{title}</span>
            <span className="mt-1 line-clamp-2 block text-muted-foreground">{text}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
