// A wait of a job, in one sentence: the same for the console, the terminal and the API.
import type { Direction } from "@scheduler-agent-supervisor/core/domain";

/**
 * `code`: the app's own code threw. `configuration`: an endpoint's address or the app's credential for it is wrong. `answer`: the service gave
 * this job an answer that its agent does not declare. `retry`: its last try timed out. `unsettled`: a request that was given up may still be done, so its compensation waits. `paused`: an operator has paused
 * the agent. `agent`: no agent has taken it up; `cause`: how often it was not in time. `report`: its service or a person reports it later. `poll`: its
 * service does it later, and its agent's polls fail or are not made. `service`: its agent works on it, or waits for an endpoint. `supervisor`: its time is over, and no sweep has continued it; `cause`: why none
 * could. `start`: no attempt has started yet. `message`: it has ended, and a message about it is not known to be sent; `cause`: why not.
 */
export const WAIT_REASONS = [
  "code",
  "configuration",
  "answer",
  "retry",
  "unsettled",
  "paused",
  "agent",
  "report",
  "poll",
  "service",
  "supervisor",
  "start",
  "message",
] as const;
export type WaitReason = (typeof WAIT_REASONS)[number];

/** One wait of a job. Instants are ISO 8601 in UTC. */
export interface JobWait {
  readonly reason: WaitReason;
  /** Null if no step of the job is open. */
  readonly step: string | null;
  readonly agent: string | null;
  readonly direction: Direction;
  /** The last technical error. */
  readonly cause: string | null;
  /** Of a report: who has to act. */
  readonly assignee?: string | undefined;
  readonly since: string;
  /** The next try, or the end of the wait; null if it is not known or has passed. */
  readonly until: string | null;
}

/**
 * Such as `waits for payment: HTTP 401 since 00:29, tries again at 00:34`.
 * @param timeOf an instant as the reader's clock shows it
 */
export function waitInWords(wait: JobWait, timeOf: (at: string) => string): string {
  const { reason, step, agent, direction, cause, since, until } = wait;
  const work = direction === "compensate" ? `the compensation of ${step}` : step;
  const from = `since ${timeOf(since)}`;
  const end = until === null ? "" : `, until ${timeOf(until)}`;
  const again = until === null ? "tries again now" : `tries again at ${timeOf(until)}`;
  switch (reason) {
    case "code":
      return `waits for a version of the app that does not throw in ${cause} ${from}, ${again}`;
    case "configuration":
      return `waits for ${agent}: ${cause} ${from}, ${again}; the endpoint's address or the app's credential is wrong`;
    case "answer":
      return `waits for ${agent}: ${cause} ${from}, ${again}; its agent does not declare this answer`;
    case "retry":
      return `waits for ${agent}: ${cause ?? "timed out"} ${from}, ${again}`;
    case "unsettled":
      return `waits until no request of ${step} that was given up can be done any more, ${from}${end}: then it is compensated`;
    case "paused":
      return `waits for ${agent}, which is paused, ${from}`;
    case "agent":
      return cause === null ? `waits for ${agent} to take up ${work} ${from}` : `waits for ${agent}: ${cause} ${from}`;
    case "report":
      return `waits for a report about ${work} from ${wait.assignee ?? agent} ${from}${end}`;
    case "poll":
      return `waits for ${agent}, which learns nothing about ${work} ${from}: ${cause}, ${again}`;
    case "service":
      return `waits for ${agent} to finish ${work} ${from}${end}`;
    case "supervisor":
      return `waits for the supervisor: ${work ?? "it"} is overdue ${from}${until === null ? "" : `, and can't be recovered: ${cause}; ${again}`}`;
    case "start":
      return `waits for its start ${from}`;
    case "message":
      return `has ended, and a message about it could not be sent ${from}${cause === null ? "" : `: ${cause}; ${again}`}`;
    default:
      return reason satisfies never;
  }
}
