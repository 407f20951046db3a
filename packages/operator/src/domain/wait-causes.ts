// What a message waits for in its queue, in words: the same in the console and in the terminal.

const WAITS_FOR: { readonly [cause: string]: string } = {
  notTaken: "a function that takes and completes them",
  NotAdmitted: "a free place: too many are in flight",
  AgentHeldUp: "an agent for which too many wait already",
  ShareTaken: "a free place of their own fairness key",
  WorkflowPaused: "their workflow, which is paused",
  StoreUnavailable: "the store, which does not answer",
  BusUnavailable: "the bus, which does not answer",
  EngineUnavailable: "the engine, which does not answer",
  MissingWorkflow: "a version of the app that has their workflow",
  CodeThrew: "a version of the app whose code does not throw",
  NewerSchema: "a version of the app that can read them",
  JobNotRecorded: "what they are about, which is not recorded yet",
};

/** Messages pass through a queue in less time, unless something is wrong or there is too much to do. */
const USUAL_MS = 30_000;

export interface LongWait {
  readonly queue: string;
  readonly since: string;
  /** A sentence without its end. */
  readonly words: string;
}

interface Read {
  readonly asOf: string;
  readonly queues: readonly (
    | { readonly queue: string; readonly waits: readonly { readonly cause: string; readonly since: string }[] }
    | { readonly queue: string; readonly error: string }
  )[];
}

/** The waits that a person should know of, the earliest first. */
export function longWaits({ asOf, queues }: Read): LongWait[] {
  return queues
    .flatMap((each) => ("waits" in each ? each.waits.map((wait) => ({ ...wait, queue: each.queue })) : []))
    .filter(({ since }) => Date.parse(asOf) - Date.parse(since) > USUAL_MS)
    .map(({ queue, cause, since }) => ({
      queue,
      since,
      words: `Messages in ${queue} wait for ${WAITS_FOR[cause] ?? cause}`,
    }))
    .sort((one, other) => one.since.localeCompare(other.since));
}

/** The queues that could not be read, in words. */
export function unreadQueues({ queues }: Read): string[] {
  return queues.flatMap((each) =>
    "error" in each ? [`The queue ${each.queue} could not be read: ${each.error}`] : [],
  );
}
