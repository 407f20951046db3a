// Runs an orchestrator for one turn: in the session that is still in memory, or anew against its history.
import { randomUUID } from "node:crypto";
import { messageOf } from "../../thrown.ts";
import type { FunctionApp, InvocationSession } from "../contract.ts";
import type { DurableSettings } from "../host-json-durable.ts";
import { ActionRules } from "./action-rules.ts";
import type { Command } from "./actions.ts";
import { unknownFunction } from "./activities.ts";
import { compareWithHistory } from "./determinism.ts";
import { EventType, executionStarted, type HistoryEvent, orchestratorStarted, timestampText } from "./history.ts";
import { differenceOnHost } from "./host-replay.ts";
import type { Arrival, Instance } from "./instance.ts";
import { type End, Session } from "./session.ts";

/** What a turn brought about, not yet committed. */
export interface Turn {
  readonly at: Date;
  /** New in the history. */
  readonly events: readonly HistoryEvent[];
  readonly commands: readonly Command[];
  readonly cancelled: readonly number[];
  readonly customStatus: string | null;
  readonly warnings: readonly string[];
  /** Events that came after the orchestrator's last word, for its next generation. */
  readonly leftOver: readonly Arrival[];
  /** As the orchestrator has it: it is not over while a task is open. */
  readonly end: End | undefined;
  /** Kept for the next turn. */
  readonly session: Session | undefined;
}

/** The schema "V4" of the library. */
const SCHEMA_VERSION = 3;

/** Long enough that the library never splits a timer into several. */
const LIBRARY_LIMITS = {
  upperSchemaVersion: 1,
  upperSchemaVersionNew: SCHEMA_VERSION,
  maximumShortTimerDuration: "36500.00:00:00",
  longRunningTimerIntervalDuration: "3.00:00:00",
  // Without it the library refuses `callHttp` itself, in other words.
  defaultHttpAsyncRequestSleepTimeMillseconds: 30_000,
};

/** The library does not read the inputs in these events, and each would be quoted and parsed once more: the orchestration's own has a place of its own. */
const UNREAD_INPUTS: ReadonlySet<number> = new Set([
  EventType.executionStarted,
  EventType.taskScheduled,
  EventType.childCreated,
]);

/** Goes on with the session in memory. */
export function resumeTurn(session: Session, arrivals: readonly Arrival[]): Turn {
  const at = new Date();
  const events = [orchestratorStarted(at), ...arrivals.map(({ event }) => event)];
  session.processed = 0;
  session.feed(events);
  return readTurn(session, { at, events, arrivals }, session.processed - 1, session.takeCommands());
}

/** Runs the orchestrator from its beginning against `past`, which is empty in its first turn. */
export async function replayTurn(
  app: FunctionApp,
  instance: Instance,
  past: readonly HistoryEvent[],
  arrivals: readonly Arrival[],
  settings: DurableSettings,
): Promise<Turn> {
  const at = new Date();
  const events = [orchestratorStarted(at)];
  if (past.length === 0) events.push(executionStarted(at, instance.name, instance.input));
  for (const { event } of arrivals) events.push(event);
  for (const event of past) event.IsPlayed = true;
  const step: Step = { at, events, arrivals };

  const target = app.functions.get(instance.name);
  if (target?.trigger.type !== "orchestrationTrigger") {
    return failedTurn(instance, step, unknownFunction(app, "orchestration", instance.name));
  }
  const asking = { app, id: instance.id, parentId: instance.parent?.id };
  const session = new Session(new ActionRules(asking, settings));
  let held: InvocationSession | undefined;
  try {
    await app.invoke(instance.name, {
      invocationId: randomUUID(),
      inputs: {
        [target.triggerName]: { json: triggerText(instance, [...past, ...events], past.length > 0) },
      },
      prepare: (context, invocation) => {
        held = invocation;
        session.attach(context);
      },
    });
  } catch (cause) {
    if (!session.attached) return failedTurn(instance, step, messageOf(cause));
    // The library throws what it also keeps; what it does not keep is the host's or the library's own fault.
    if (!session.end) session.fail(cause);
  }
  // Later turns log through this invocation, which has ended for the library.
  if (held) held.state = "postInvocationHooks";

  const commands = session.takeCommands();
  const consumed = session.processed - past.length - (events.length - arrivals.length);
  if (past.length === 0) return readTurn(session, step, consumed, commands);
  const comparison = compareWithHistory(instance.name, past, commands);
  if (comparison.kind === "differs") return failedTurn(instance, step, session.rejection ?? comparison.message);
  return readTurn(session, step, consumed, comparison.fresh);
}

interface Step {
  readonly at: Date;
  readonly events: readonly HistoryEvent[];
  readonly arrivals: readonly Arrival[];
}

/** The turn, or its failure where the real host would call it non-deterministic. */
export function asOnHost(instance: Instance, turn: Turn, past: () => readonly HistoryEvent[]): Turn {
  const actions = turn.session?.renumberedActions;
  if (!actions) return turn;
  const difference = differenceOnHost(actions, [...past(), ...turn.events], turn.commands);
  if (difference === undefined) return turn;
  const reason =
    `Non-deterministic orchestrator "${instance.name}": on the real host ${difference}. There a cancelled timer ends its ` +
    "Task.any at once in every replay, so the numbers of a retry's pauses and further attempts move: do not use " +
    "callActivityWithRetry or callSubOrchestratorWithRetry in one composite with a timer that is cancelled.";
  return failedTurn(instance, turn, reason);
}

/**
 * The turn, or its failure where it starts a sub-orchestration with the id of an instance that has not ended. The extension drops such a
 * start, and the parent waits for good (DurableTask.Core: TaskOrchestrationDispatcher, "Duplicate start event").
 */
export function withoutTakenIds(instance: Instance, turn: Turn, isTaken: (id: string) => boolean): Turn {
  const taken = turn.commands.find((command) => command.kind === "child" && isTaken(command.instanceId ?? ""));
  if (taken?.kind !== "child") return turn;
  return failedTurn(
    instance,
    turn,
    `A sub-orchestration cannot start: an instance with its id runs: ${taken.instanceId}`,
  );
}

function readTurn(session: Session, { at, events, arrivals }: Step, consumed: number, commands: Command[]): Turn {
  const { customStatus } = session;
  const { end } = session;
  const warnings = session.takeWarnings();
  const lost = end?.kind === "continued" ? session.unconsumedEvents : [];
  if (lost.length > 0) {
    warnings.push(`continueAsNew drops events that nobody waited for, as the real host does: ${lost.join(", ")}.`);
  }
  return {
    at,
    events,
    commands,
    cancelled: session.takeCancelled(),
    customStatus,
    warnings,
    leftOver: end?.kind === "continued" ? arrivals.slice(Math.max(consumed, 0)).filter(isRaised) : [],
    end,
    session,
  };
}

function isRaised({ event }: Arrival): boolean {
  return event.EventType === EventType.eventRaised;
}

function failedTurn({ customStatus }: Instance, { at, events }: Pick<Step, "at" | "events">, reason: string): Turn {
  const end: End = { kind: "failed", reason, atOnce: true };
  return { at, events, commands: [], cancelled: [], customStatus, warnings: [], leftOver: [], end, session: undefined };
}

function triggerText(instance: Instance, history: readonly HistoryEvent[], isReplaying: boolean): string {
  const { id, input, parent } = instance;
  const events = history.map(asTheLibraryReads);
  const fixed = {
    ...LIBRARY_LIMITS,
    history: events,
    instanceId: id,
    isReplaying,
    parentInstanceId: parent?.id ?? null,
  };
  const text = JSON.stringify(fixed);
  return `${text.slice(0, -1)},"input":${input ?? "null"}}`;
}

/** To be made JSON, which leaves out what is undefined. */
function asTheLibraryReads(event: HistoryEvent): object {
  const isUnread = UNREAD_INPUTS.has(event.EventType);
  return { ...event, Timestamp: timestampText(event), Input: isUnread ? undefined : event.Input };
}
