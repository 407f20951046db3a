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

/** Each agent has its own queue of requests. */
export function requestsQueueOf(agent: string): string {
  return `agent-requests-${agent}`;
}
