import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useDeferredValue } from "react";
import { Link } from "react-router";

import type { ThreadSearchGroup } from "#sdk/sdk_threads.js";

import { api } from "@/api/http";
import { hasRecords } from "@/api/queries";
import { paths } from "@/lib/navigation";
import { threadName } from "@/sdk_app/thread_records";
import { Card, Section } from "@/ui/card";
import { ErrorNotice } from "@/ui/error_notice";

type Result = ThreadSearchGroup["results"][number];
type Match = Result["matches"][number];

/** Shorter words are in every message. */
const kMinQuery = 2;
const kPerGroup = 20;
const kShownMatches = 2;

/** Threads whose messages have the words; titles are searched in the list itself. */
function useMessageSearch(query: string) {
  const wanted = useDeferredValue(query.trim());
  const isAsked = wanted.length >= kMinQuery;
  const answer = useQuery({
    queryKey: ["thread-search", wanted],
    queryFn: async ({ signal }): Promise<Result[]> => {
      if (!(await hasRecords("threads"))) {
        return [];
      }
      const { active, archived } = await api<{ active: ThreadSearchGroup; archived: ThreadSearchGroup }>("GET", "/threads/search", {
        query: { query: wanted, limitPerGroup: kPerGroup },
        signal,
      });
      return [...active.results, ...archived.results];
    },
    enabled: isAsked,
    staleTime: 0,
    placeholderData: keepPreviousData,
  });
  const results = (isAsked ? (answer.data ?? []) : []).flatMap(({ thread, matches }) => {
    const inMessages = matches.filter(({ sourceKind }) => sourceKind.endsWith("_message"));
    return inMessages.length === 0 ? [] : [{ thread, matches: inMessages }];
  });
  return { ...answer, isAsked, results };
}

/** A match with what was found in it marked. */
function MatchText({ match: { text, highlightRanges } }: { match: Match }) {
  let at = 0;
  const pieces = highlightRanges.map(({ start, end }) => {
    const before = text.slice(at, start);
    at = end;
    return (
      <span key={start}>
        {before}
        <mark className="rounded-xs bg-attention/25 text-inherit">{text.slice(start, end)}</mark>
      </span>
    );
  });
  return (
    <p className="line-clamp-2 text-xs wrap-anywhere text-muted-foreground">
      {pieces}
      {text.slice(at)}
    </p>
  );
}

/** What was said in threads, for the words in the search field; nothing while nothing is found. */
export function MessageSearch({ query }: { query: string }) {
  const { results, error, refetch, isFetching, isAsked } = useMessageSearch(query);
  if (isAsked && error !== null) {
    return <ErrorNotice title="Messages could not be searched" error={error} onRetry={() => void refetch()} isRetrying={isFetching} />;
  }
  return results.length === 0 ? null : (
    <Section title="In messages">
      <Card>
        <ul aria-label="Found in messages" className="divide-y divide-border-hairline">
          {results.map(({ thread, matches }) => (
            <li key={thread.id}>
              {matches.slice(0, kShownMatches).map((match, index) => (
                <Link
                  key={index}
                  to={paths.thread(thread.id, match.sourceSeq)}
                  className="flex min-w-0 flex-col gap-1 px-4 py-2 text-sm hover:bg-state-hover"
                >
                  {index === 0 && <span className="truncate font-medium">{threadName(thread)}</span>}
                  <MatchText match={match} />
                </Link>
              ))}
            </li>
          ))}
        </ul>
      </Card>
    </Section>
  );
}
