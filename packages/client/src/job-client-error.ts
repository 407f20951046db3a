// What keeps a client from being received or from hearing, in words that say what to do next.
import { isServiceBusError } from "@azure/service-bus";

/** Why a client cannot send or receive. */
export type JobClientFault =
  /** The queue does not exist or is disabled. */
  | "noQueue"
  /** The connection may not send to, or listen on, the queue. */
  | "notAllowed"
  /** The reply queue has no sessions. */
  | "noSessions"
  /** Another client listens to the session. */
  | "sessionHeld"
  /** Service Bus can't be reached, or is too busy. */
  | "unreachable"
  | "closed";

/** The client cannot use Service Bus. The message contains what to do. */
export class JobClientError extends Error {
  override readonly name = "JobClientError";
  readonly fault: JobClientFault;
  /** Whether the same call may succeed later with nothing changed. */
  readonly retriable: boolean;

  constructor(fault: JobClientFault, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.fault = fault;
    this.retriable = fault === "unreachable" || fault === "sessionHeld";
  }
}

/** What a fault of the SDK means to someone who sends to a queue or listens on it. */
export function describeFault(cause: unknown, action: "send to" | "listen on", queue: string): JobClientError {
  if (cause instanceof JobClientError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  if (isServiceBusError(cause)) {
    switch (cause.code) {
      case "MessagingEntityNotFound":
      case "MessagingEntityDisabled":
        return new JobClientError("noQueue", `The queue ${queue} does not exist or is disabled: ${reason}`, cause);
      case "UnauthorizedAccess":
        return new JobClientError("notAllowed", `This connection may not ${action} ${queue}: ${reason}`, cause);
      case "SessionCannotBeLocked":
        return new JobClientError(
          "sessionHeld",
          `Another client holds this session of ${queue}, or died less than a lock's duration ago (or the queue has no sessions): ${reason}`,
          cause,
        );
    }
  }
  return new JobClientError("unreachable", `Can't ${action} ${queue}: ${reason}`, cause);
}
