// How a call of the client ends: as the app said, or with what is known when nothing more is received.
import type { Outputs, StatusMessage } from "./job-messages.ts";
import type { EndMessage, From } from "./status-inbox.ts";

/** How a job ended, with its received status messages; or why the end is not known. */
export type JobEnd =
  | {
      readonly kind: "completed";
      readonly jobId: string;
      /** The workflow's outputs, by name. */
      readonly outputs: Outputs;
      readonly received: readonly StatusMessage[];
    }
  /** Stopped in Error. An operator may fix the cause and resubmit it: `follow` receives the later end. */
  | {
      readonly kind: "failed";
      readonly jobId: string;
      readonly reason: string;
      readonly received: readonly StatusMessage[];
    }
  /** Everything that the job did is compensated. */
  | {
      readonly kind: "compensated";
      readonly jobId: string;
      readonly reason: string;
      readonly received: readonly StatusMessage[];
    }
  /** Cancelled by its requester or an operator: nothing was done, or it is compensated. */
  | {
      readonly kind: "cancelled";
      readonly jobId: string;
      readonly reason: string;
      readonly received: readonly StatusMessage[];
    }
  /** No end was received in time; the job may still end. `reason` contains where to look. */
  | {
      readonly kind: "timedOut";
      readonly jobId: string;
      readonly reason: string;
      /** False if it is not known whether Service Bus has accepted the job. */
      readonly sent: boolean;
      readonly received: readonly StatusMessage[];
    }
  /** This submission was not accepted. There may be another job under the same id. */
  | {
      readonly kind: "rejected";
      readonly jobId: string | null;
      readonly reason: string;
      /** The faults of the submission, at most 50; empty if it was not sent. */
      readonly faults: readonly string[];
      /** False if it has no valid id, or is too large for a message. */
      readonly sent: boolean;
    };

/** The app's answer to a submission that it keeps in its quarantine. */
export function rejected({ jobId, detail = "the app gave no reason", faults = [] }: StatusMessage): JobEnd {
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : "";
  return { kind: "rejected", jobId, reason: `${detail}${more}`, faults, sent: true };
}

/** Service Bus was never asked to take it, or would not. */
export function notSent(jobId: string | null, reason: string): JobEnd {
  return { kind: "rejected", jobId, reason, faults: [], sent: false };
}

/** What the app said of the end. */
export function endFrom(end: EndMessage, received: readonly StatusMessage[]): JobEnd {
  const { jobId, detail: reason = "the app gave no reason" } = end;
  switch (end.status) {
    case "Completed":
      return { kind: "completed", jobId, outputs: end.outputs ?? {}, received };
    case "Failed":
      return { kind: "failed", jobId, reason, received };
    case "Compensated":
      return { kind: "compensated", jobId, reason, received };
    case "Cancelled":
      return { kind: "cancelled", jobId, reason, received };
    default:
      return end.status satisfies never;
  }
}

interface Waited {
  readonly jobId: string;
  readonly from: From;
  readonly sent: boolean;
  readonly timeoutMs: number;
  readonly received: readonly StatusMessage[];
  /** Something was received of other content under this id. */
  readonly isTaken: boolean;
}

/** Where to look when no end was received in time. */
export function timedOut({ jobId, from, sent, timeoutMs, received, isTaken }: Waited): JobEnd {
  const within = `within ${timeoutMs / 1000} s`;
  const last = received.at(-1)?.status;
  const noEnd =
    from === "start"
      ? `the app is behind or down; or a job of this id was submitted before, and its messages go where that one asked for them`
      : "either nothing happened to it, or it was submitted from another session";
  const reason = !sent
    ? `Service Bus did not answer ${within}: whether it has job ${jobId} is not known. Submitting it again is safe.`
    : last
      ? `Job ${jobId} came to no end ${within}; the last word of it was ${last}. Follow it to wait on.`
      : isTaken
        ? `Nothing was received of this job ${within}: another one was submitted under the id ${jobId}.`
        : `Nothing was received of job ${jobId} ${within}: ${noEnd}.`;
  return { kind: "timedOut", jobId, reason, sent, received };
}
