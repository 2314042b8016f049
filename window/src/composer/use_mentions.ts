import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useState } from "react";

import type { MentionResource } from "#sdk/records.js";

import { api } from "@/api/http";
import { queryClient, queryKeys } from "@/api/queries";
import type { Contributions } from "@/api/records";
import { findMentionQuery, type MentionQuery } from "./mention_query";
import type { ComposerModel, ComposerState } from "./model";
import { kWindowTriggers, useHasWindowMentions, useWindowMentions } from "./window_mentions";

/** Milliseconds of quiet before providers are asked, and for which their answer is good. */
const kTypingPauseMs = 120;
const kFreshMs = 10_000;

export interface MentionOption {
  readonly providerId: string;
  readonly itemId: string;
  readonly title: string;
  readonly subtitle: string | null;
  readonly icon: string | null;
  /** Empty for what the window itself offers. */
  readonly pluginId: string;
  readonly resource?: MentionResource;
}

interface MentionGroup {
  pluginId: string;
  providerId: string;
  label: string;
  items: { itemId: string; title: string; subtitle: string | null; icon: string | null }[];
}

export interface MentionSearch {
  /** Null while nothing is being looked for. */
  readonly query: MentionQuery | null;
  readonly groups: readonly { label: string; options: readonly MentionOption[] }[];
  /** All options in the order in which they are shown. */
  readonly options: readonly MentionOption[];
  readonly activeIndex: number;
  /** What there is to say instead of options. */
  readonly hint: string | null;
  setActiveIndex(index: number): void;
  choose(option: MentionOption): void;
  dismiss(): void;
}

function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}

function useContributed() {
  return useQuery(
    {
      queryKey: queryKeys.contributions,
      queryFn: ({ signal }) => api<Contributions>("GET", "/plugins/contributions", { signal }),
    },
    queryClient,
  ).data?.mentionProviders;
}

const kNoGroups: MentionGroup[] = [];

/** Mentions that plugins offer for what stands before the caret. */
export function useMentionSearch(
  model: ComposerModel,
  state: ComposerState,
  { isEnabled, providerId }: { isEnabled: boolean; providerId?: string | undefined },
): MentionSearch {
  const providers = useContributed();
  const hasOwn = useHasWindowMentions();
  const triggers = useMemo(
    () => [...new Set([...(hasOwn ? kWindowTriggers : []), ...(providers ?? []).flatMap((provider) => provider.triggers)])],
    [providers, hasOwn],
  );
  // A query that was dismissed stays so until another one begins.
  const [dismissedAt, setDismissedAt] = useState<number | null>(null);
  const found = isEnabled ? findMentionQuery(state, triggers) : null;
  const start = found?.start ?? null;
  if (dismissedAt !== null && dismissedAt !== start) {
    setDismissedAt(null);
  }
  // A slash inside of a message is a slash, unless a plugin says otherwise.
  const isOffered =
    found !== null &&
    ((providers ?? []).some((provider) => provider.triggers.includes(found.trigger)) || found.trigger === "@" || found.start === 0);
  const query = isOffered && start !== dismissedAt ? found : null;
  const asked = useSettled(query === null ? "" : query.query, kTypingPauseMs);
  const trigger = query?.trigger ?? "";
  const { scope } = state;
  const { projectId } = scope;
  const threadId = scope.kind === "new-thread" ? null : scope.threadId;
  const own = useWindowMentions(query, asked, scope, providerId);
  const isAskingPlugins = (providers ?? []).some((provider) => provider.triggers.includes(trigger));
  const { data, isFetching, isError } = useQuery(
    {
      queryKey: ["mention-search", trigger, asked, projectId, threadId],
      queryFn: async ({ signal }) =>
        (
          await api<{ groups: MentionGroup[] }>("GET", "/plugins/mentions/search", {
            query: { q: asked, trigger, projectId: projectId ?? undefined, threadId: threadId ?? undefined },
            signal,
          })
        ).groups,
      enabled: query !== null && asked !== "" && isAskingPlugins,
      staleTime: kFreshMs,
      placeholderData: keepPreviousData,
    },
    queryClient,
  );
  const isAsking = query !== null && query.query !== "";
  const answer = isAsking ? (data ?? kNoGroups) : kNoGroups;
  const groups = useMemo(
    () => [
      ...own,
      ...answer
        .filter(({ items }) => items.length > 0)
        .map(({ pluginId, providerId, label, items }) => ({
          label,
          options: items.map((item) => ({ ...item, pluginId, providerId })),
        })),
    ],
    [answer, own],
  );
  const options = useMemo(() => groups.flatMap((group) => group.options), [groups]);
  const [active, setActive] = useState({ options, index: 0 });
  const activeIndex = active.options === options ? active.index : 0;

  const choose = useCallback(
    ({ pluginId, providerId: provider, itemId, title, resource }: MentionOption) => {
      if (query !== null) {
        const of = resource === undefined ? { label: title, pluginId } : { label: resource.label, resource };
        model.insertMention({ provider, id: itemId, ...of }, query);
      }
    },
    [model, query],
  );
  const labels = [
    ...(hasOwn ? [trigger === "/" ? "commands" : "threads, projects and files"] : []),
    ...(providers ?? []).filter((provider) => provider.triggers.includes(trigger)).map(({ label }) => label),
  ];
  const hint = hintOf({ isAsking, isWaiting: isFetching || asked !== query?.query, isError, count: options.length, labels });
  return {
    query,
    groups,
    options,
    activeIndex,
    hint: query === null ? null : hint,
    setActiveIndex: (index) => setActive({ options, index }),
    choose,
    dismiss: () => setDismissedAt(start),
  };
}

interface HintFacts {
  isAsking: boolean;
  isWaiting: boolean;
  isError: boolean;
  count: number;
  labels: readonly string[];
}

function hintOf({ isAsking, isWaiting, isError, count, labels }: HintFacts): string | null {
  if (!isAsking && count === 0) {
    return `Type to search ${labels.join(", ") || "mentions"}`;
  }
  if (count > 0) {
    return null;
  }
  if (isError) {
    return "Suggestions could not be loaded. Type on to try again.";
  }
  return isWaiting ? "Searching…" : "Nothing found";
}
