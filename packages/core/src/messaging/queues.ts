// The app's own queues, called the same in every app: infra/entities/service-bus.json declares them.

export const QUEUES = {
  /** Submissions that share a queue, and those of them that are urgent. */
  jobs: "jobs",
  priorityJobs: "jobs-priority",
  /** The scheduler's own. */
  scheduler: "scheduler",
  /** Keeps the jobs and replies that cannot be read. */
  quarantine: "quarantine",
} as const;

/** The queues to which the app sends what it says of a job: the sender names one, and no other queue of the app is called so. */
export const REPLY_QUEUES = /^replies-[a-z0-9-]{1,80}$/;

/** Each agent has its own queue of requests. */
export function requestsQueueOf(agent: string): string {
  return `agent-requests-${agent}`;
}
