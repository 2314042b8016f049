import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useState } from "react";

import { api } from "@/api/http";
import { queryClient, queryKeys } from "@/api/queries";
import type { Contributions } from "@/api/records";
import { findMentionQuery, type MentionQuery } from "./mention_query";
import type { ComposerModel, ComposerState } from "./model";

/** Milliseconds of quiet before providers are asked, and for which their answer is good. */
const kTypingPauseMs = 120;
const kFreshMs = 10_000;

export interface MentionOption {
  readonly providerId: string;
  readonly itemId: string;
  readonly title: string;
  readonly subtitle: string | null;
  readonly icon: string | null;
  readonly pluginId: string;
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
export function useMentionSearch(model: ComposerModel, state: ComposerState, isEnabled: boolean): MentionSearch {
  const providers = useContributed();
  const triggers = useMemo(() => [...new Set((providers ?? []).flatMap((provider) => provider.triggers))], [providers]);
  // A query that was dismissed stays so until another one begins.
  const [dismissedAt, setDismissedAt] = useState<number | null>(null);
  const found = isEnabled ? findMentionQuery(state, triggers) : null;
  const start = found?.start ?? null;
  if (dismissedAt !== null && dismissedAt !== start) {
    setDismissedAt(null);
  }
  const query = found !== null && start !== dismissedAt ? found : null;
  const asked = useSettled(query === null ? "" : query.query, kTypingPauseMs);
  const trigger = query?.trigger ?? "";
  const { projectId } = model.scope;
  const threadId = model.scope.kind === "new-thread" ? null : model.scope.threadId;
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
      enabled: query !== null && asked !== "",
      staleTime: kFreshMs,
      placeholderData: keepPreviousData,
    },
    queryClient,
  );
  const isAsking = query !== null && query.query !== "";
  const answer = isAsking ? (data ?? kNoGroups) : kNoGroups;
  const groups = useMemo(
    () =>
      answer
        .filter(({ items }) => items.length > 0)
        .map(({ pluginId, providerId, label, items }) => ({
          label,
          options: items.map((item) => ({ ...item, pluginId, providerId })),
        })),
    [answer],
  );
  const options = useMemo(() => groups.flatMap((group) => group.options), [groups]);
  const [active, setActive] = useState({ options, index: 0 });
  const activeIndex = active.options === options ? active.index : 0;

  const choose = useCallback(
    ({ pluginId, providerId, itemId, title }: MentionOption) => {
      if (query !== null) {
        model.insertMention({ pluginId, provider: providerId, id: itemId, label: title }, query);
      }
    },
    [model, query],
  );
  const labels = (providers ?? []).filter((provider) => provider.triggers.includes(trigger)).map(({ label }) => label);
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
  if (!isAsking) {
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
