// What the views show and how often it is asked for again: lists every half minute, one job every few seconds, nothing in a hidden tab.
import { hashKey, QueryClient, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { nameJobs } from "../words/say.ts";
import { get } from "./client.ts";
import type {
  AgentHealth,
  Attention,
  AttentionPage,
  AuditPage,
  Awaiting,
  BulkList,
  BulkPreview,
  BulkProgress,
  BulkRun,
  Changes,
  DeadLetter,
  DeadLetterCauses,
  DeadLetterCounts,
  DeadLetterPage,
  DiscardedMessage,
  DiscardedPage,
  HeldUp,
  HeldUpPage,
  Inspection,
  JobAudit,
  JobPage,
  JobTotal,
  LastHour,
  Overview,
  Reports,
  Session,
  Supervisor,
  TakenJobs,
  Traffic,
  WaitingMessages,
} from "./contract.ts";
import {
  AGENTS_MS,
  BULK_MS,
  CHANGES_MS,
  HOME_MS,
  JOB_MS,
  LEADERLESS_MS,
  LIST_MS,
  QUEUES_MS,
  WAITS_MS,
} from "./intervals.ts";
import { createNews, type News } from "./news.ts";

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        networkMode: "always",
        staleTime: 2_000,
        // Each is tried again where it is asked.
        retry: false,
      },
    },
  });
}

const NO_PARAMETERS = "";

export function query(parameters: { readonly [name: string]: string | number | undefined }): string {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? NO_PARAMETERS : `?${new URLSearchParams(given)}`;
}

/** What a route without parameters answers, asked again each so many milliseconds. */
const usePolled = <T>(path: string, refetchInterval: number) =>
  useQuery({ queryKey: [path], queryFn: ({ signal }) => get<T>(path, signal), refetchInterval });

export const useSession = () =>
  useQuery({
    queryKey: ["session"],
    queryFn: async ({ signal }) => {
      const session = await get<Session>("session", signal);
      // Before anything is drawn with it: every view is, when the session comes.
      nameJobs(session.words);
      return session;
    },
    refetchInterval: QUEUES_MS,
  });

/** Whether the app answers, and how often something has happened there. */
export const useChanges = () => usePolled<Changes>("changes", CHANGES_MS);

/** What the first view reads again if something has happened. */
const READ_AGAIN: ReadonlySet<unknown> = new Set([
  "attention",
  "held-up",
  "awaiting",
  "dead-letters",
  "agents",
  "bulk",
  // It has what is paused.
  "session",
]);

/** For as long as the first view is open: what has happened stands there soon. */
export function useNews(): void {
  const client = useQueryClient();
  const { data, dataUpdatedAt } = useChanges();
  const news = useRef<News>(undefined);
  useEffect(() => {
    if (!data) return;
    news.current ??= createNews();
    if (!news.current.isNews(data, dataUpdatedAt)) return;
    void client.invalidateQueries({ predicate: ({ queryKey: [what] }) => READ_AGAIN.has(what) });
  }, [client, data, dataUpdatedAt]);
}

export const useOverview = () => usePolled<Overview>("overview", LIST_MS);

export const useTraffic = () => usePolled<Traffic>("traffic", LIST_MS);

export const useLastHour = () => usePolled<LastHour>("last-hour", QUEUES_MS);

export const useAgents = () => usePolled<AgentHealth>("agents", AGENTS_MS);

/** The same, for a view that shows only what is not well. */
export const useAgentHealth = () => usePolled<AgentHealth>("agents", QUEUES_MS);

export const useReports = () => usePolled<Reports>("reports", WAITS_MS);

export const useWaitingMessages = () => usePolled<WaitingMessages>("waiting-messages", WAITS_MS);

export const useAttention = () => usePolled<Attention>("attention", HOME_MS);

export const useHeldUp = () => usePolled<HeldUp>("held-up", HOME_MS);

export const useHeldUpPage = (group: string) =>
  useInfiniteQuery({
    queryKey: ["held-up", "jobs", group],
    queryFn: ({ signal, pageParam }) => get<HeldUpPage>(`held-up/jobs${query({ group, from: pageParam })}`, signal),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next,
    refetchInterval: HOME_MS,
  });

const PAGE_OF_IDS = 100;

/** The ids of all jobs of a group, for an action on all of them. */
export async function heldUpIds(group: string): Promise<string[]> {
  const ids = new Set<string>();
  for (let from: number | undefined = 0; from !== undefined; ) {
    const page: HeldUpPage = await get(`held-up/jobs${query({ group, from, limit: PAGE_OF_IDS })}`);
    for (const { jobId } of page.jobs) ids.add(jobId);
    from = page.next;
  }
  return [...ids];
}

export const useAttentionPage = (group: string | undefined) =>
  useInfiniteQuery({
    queryKey: ["attention", "jobs", group ?? ""],
    queryFn: ({ signal, pageParam }) =>
      get<AttentionPage>(`attention/jobs${query({ group, from: pageParam })}`, signal),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next,
    refetchInterval: HOME_MS,
  });

export interface SearchFilter {
  readonly state?: string | undefined;
  readonly kind?: string | undefined;
  readonly workflow?: string | undefined;
  readonly version?: string | number | undefined;
  readonly step?: string | undefined;
  readonly key?: string | undefined;
  readonly waitsFor?: string | undefined;
  readonly q?: string | undefined;
  readonly timeOf?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

const FIRST_PAGE = 50;
/** Whoever wants more than the first rows wants many. */
const NEXT_PAGES = 200;

export const useJobs = (filter: SearchFilter) =>
  useInfiniteQuery({
    queryKey: ["jobs", filter],
    queryFn: ({ signal, pageParam }) => {
      const limit = pageParam === "" ? FIRST_PAGE : NEXT_PAGES;
      return get<JobPage>(`jobs${query({ ...filter, limit, continuation: pageParam })}`, signal);
    },
    initialPageParam: "",
    getNextPageParam: ({ continuation }) => continuation,
    // What no index finds is dear, and so are many pages: each is asked for once.
    refetchInterval: ({ state: { data } }) =>
      data?.pages.length === 1 && !data.pages.some(({ looked }) => looked) && LIST_MS,
    refetchOnWindowFocus: ({ state: { data } }) => data?.pages.length === 1,
  });

/** How many a search finds in all; null if only reading them all could tell. */
export const useJobTotal = (filter: SearchFilter) =>
  useQuery({
    queryKey: ["job-count", filter],
    queryFn: ({ signal }) => get<JobTotal>(`job-count${query({ ...filter })}`, signal),
    staleTime: LIST_MS,
  });

export const useJob = (jobId: string) =>
  useQuery({
    queryKey: ["job", jobId],
    queryFn: ({ signal }) => get<Inspection>(`jobs/${encodeURIComponent(jobId)}`, signal),
    refetchInterval: JOB_MS,
  });

/** Only when it is asked for: it looks through the days of the audit logs. */
export const useJobAudit = (jobId: string) =>
  useInfiniteQuery({
    queryKey: ["job", jobId, "audit"],
    queryFn: ({ signal, pageParam }) =>
      get<JobAudit>(`jobs/${encodeURIComponent(jobId)}/audit${query({ continuation: pageParam })}`, signal),
    initialPageParam: "",
    getNextPageParam: ({ continuation }) => continuation,
  });

export const useJobContract = (workflow: string) =>
  useQuery({
    queryKey: ["job-contract", workflow],
    queryFn: ({ signal }) => get<unknown>(`job-contract${query({ workflow })}`, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The form of a report; a fault of the kind `not-found` if the agent declares no result. */
export const useResultContract = (agent: string, operation: string) =>
  useQuery({
    queryKey: ["result-contract", agent, operation],
    queryFn: ({ signal }) =>
      get<unknown>(`result-contract/${encodeURIComponent(agent)}/${encodeURIComponent(operation)}`, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const useDeadLetterCounts = () => usePolled<DeadLetterCounts>("dead-letters", QUEUES_MS);

export const useDeadLetters = (queue: string) =>
  useInfiniteQuery({
    queryKey: ["dead-letters", queue],
    queryFn: ({ signal, pageParam }) => get<DeadLetterPage>(`dead-letters${query({ queue, from: pageParam })}`, signal),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    refetchInterval: LIST_MS,
  });

export const useDeadLetterCauses = (queue: string) =>
  useQuery({
    queryKey: ["dead-letters", queue, "causes"],
    queryFn: ({ signal }) => get<DeadLetterCauses>(`dead-letter-causes${query({ queue })}`, signal),
    refetchInterval: LIST_MS,
  });

export const useDeadLetter = (queue: string, sequenceNumber: string) =>
  useQuery({
    queryKey: ["dead-letters", queue, sequenceNumber],
    queryFn: ({ signal }) =>
      get<DeadLetter>(`dead-letters/${encodeURIComponent(queue)}/${encodeURIComponent(sequenceNumber)}`, signal),
  });

export const useDiscarded = () =>
  useInfiniteQuery({
    queryKey: ["discarded"],
    queryFn: ({ signal, pageParam }) =>
      get<DiscardedPage>(`discarded-messages${query({ continuation: pageParam })}`, signal),
    initialPageParam: "",
    getNextPageParam: ({ continuation }) => continuation,
    refetchInterval: QUEUES_MS,
  });

export const useDiscardedMessage = (id: string) =>
  useQuery({
    queryKey: ["discarded", id],
    queryFn: ({ signal }) => get<DiscardedMessage>(`discarded-messages/${encodeURIComponent(id)}`, signal),
  });

/** Those that need a person, or may soon. */
export const useOpenBulk = () =>
  useQuery({
    queryKey: ["bulk", "open"],
    queryFn: ({ signal }) => get<BulkList>("bulk?open=true", signal),
    refetchInterval: QUEUES_MS,
  });

export const useBulkRuns = () =>
  useInfiniteQuery({
    queryKey: ["bulk", "all"],
    queryFn: ({ signal, pageParam }) => get<BulkList>(`bulk${query({ continuation: pageParam })}`, signal),
    initialPageParam: "",
    getNextPageParam: ({ continuation }) => continuation,
    refetchInterval: QUEUES_MS,
  });

/** Nothing of it changes any more; of one that is cancelled, jobs that are under way still end. */
const isOver = (state: BulkRun["state"] | undefined) => state === "done" || state === "stopped";

export const useBulk = (bulkId: string) =>
  useQuery({
    queryKey: ["bulk", bulkId],
    queryFn: ({ signal }) => get<BulkProgress>(`bulk/${encodeURIComponent(bulkId)}`, signal),
    refetchInterval: ({ state: { data } }) => !isOver(data?.run.state) && BULK_MS,
  });

export const useSupervisor = () =>
  useQuery({
    queryKey: ["supervisor"],
    queryFn: ({ signal }) => get<Supervisor>("supervisor", signal),
    // There is none for a moment after a start.
    refetchInterval: ({ state: { data } }) => (data && !data.leader?.leads ? LEADERLESS_MS : LIST_MS),
  });

/** A time that is over is not asked for again. */
export const useAuditLog = (period: { readonly from: string; readonly to: string }) =>
  useInfiniteQuery({
    queryKey: ["audit-log", period],
    queryFn: ({ signal, pageParam }) =>
      get<AuditPage>(`audit-log${query({ ...period, continuation: pageParam })}`, signal),
    initialPageParam: "",
    getNextPageParam: ({ continuation }) => continuation,
    refetchInterval: period.to === "" && LIST_MS,
  });

/** The first page, which says whether there are more. */
export const useAwaiting = () => usePolled<Awaiting>("awaiting", HOME_MS);

/** @param assignee empty: everybody's */
export const useAwaitingPages = (assignee = "") =>
  useInfiniteQuery({
    queryKey: ["awaiting", "pages", assignee],
    queryFn: ({ signal, pageParam }) =>
      get<Awaiting>(`awaiting${query({ assignee, continuation: pageParam })}`, signal),
    initialPageParam: "",
    getNextPageParam: ({ continuation }) => continuation,
    refetchInterval: HOME_MS,
  });

export const useTaken = () => usePolled<TakenJobs>("taken", QUEUES_MS);

/** What a preview could not take is shown once: whoever reloads the page sees how many it is for, and no more. */
const previews = new Map<string, BulkPreview>();
export const keepPreview = (preview: BulkPreview): void => void previews.set(preview.run.bulkId, preview);
export const previewOf = (bulkId: string): BulkPreview | undefined => previews.get(bulkId);

/** After an action: all that is shown may be old. */
export function useRefresh(): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries();
}

/** After a message was removed, which is asked for under that key: asking for it again would only say so. */
export function useRemoved(): (key: readonly string[]) => Promise<void> {
  const client = useQueryClient();
  return (key) => {
    const removed = hashKey(key);
    return client.invalidateQueries({ predicate: ({ queryHash }) => queryHash !== removed });
  };
}
