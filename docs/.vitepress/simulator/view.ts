// What the page shows of a simulation: plain data, which goes from the worker to the page.
import type { StateRecord } from "@scheduler-agent-supervisor/core/domain";
import { type Processes, SCHEDULER, SUBMISSION, SUPERVISOR } from "@scheduler-agent-supervisor/testing/memory";
import { type Call, isUnanswered, type Line } from "./narration.ts";

/** Something that a service has done, which is what must not happen twice. */
export interface Effect {
  readonly service: string;
  readonly operation: string;
  readonly key: string;
}

/** Each has a service of the same name. */
export const AGENTS = ["inventory", "payment", "fraud", "shipping"] as const;

export interface Actor {
  /** As an action names it. */
  readonly id: string;
  readonly name: string;
  readonly does: string;
  readonly isDown: boolean;
}

interface StepView {
  readonly name: string;
  readonly state: string;
  readonly completeBy: string | null;
  readonly retries: number;
}

export interface RecordView {
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly processState: string;
  readonly steps: readonly StepView[];
}

export interface MessageView {
  readonly id: number;
  readonly to: string;
  readonly what: string;
  readonly kind: string;
  readonly at: string;
  readonly canBeDoubled: boolean;
}

export interface ServiceView {
  readonly id: string;
  readonly isDown: boolean;
  readonly calls: number;
  readonly unanswered: number;
  readonly effects: readonly { readonly operation: string; readonly times: number }[];
}

export interface View {
  readonly step: number;
  readonly isOver: boolean;
  readonly now: string;
  readonly actors: readonly Actor[];
  readonly record: RecordView | null;
  readonly messages: readonly MessageView[];
  readonly services: readonly ServiceView[];
  readonly statuses: readonly string[];
  readonly lines: readonly Line[];
}

interface Seen {
  readonly steps: number;
  readonly isOver: boolean;
  readonly now: string;
  readonly record: StateRecord | undefined;
  readonly processes: Processes;
  readonly down: ReadonlySet<string>;
  readonly effects: readonly Effect[];
  readonly calls: readonly Call[];
  readonly statuses: readonly string[];
  readonly lines: readonly Line[];
}

export function viewOf(seen: Seen): View {
  const { steps, isOver, now, record, processes, statuses, lines } = seen;
  const messages = processes.inFlight.map(({ id, to, what, kind, at }) => {
    const canBeDoubled = kind !== "turn";
    return { id, to, what, kind, at: new Date(at).toISOString(), canBeDoubled };
  });
  messages.sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : one.id - other.id));
  return {
    ...{ step: steps, isOver, now, messages, statuses, lines },
    actors: [SUBMISSION, SCHEDULER, ...AGENTS, SUPERVISOR].map((id) => actorOf(id, seen)),
    record: record ? recordView(record) : null,
    services: AGENTS.map((id) => serviceView(id, seen)),
  };
}

function actorOf(id: string, { processes, record }: Seen): Actor {
  const isAgent = AGENTS.some((agent) => agent === id);
  const name = isAgent ? `${capital(id)} agent` : capital(id);
  const downUntil = processes.downUntil(id);
  if (downUntil !== undefined) return { id, name, isDown: true, does: `killed, replaced at ${timeOf(downUntil)}` };
  const inHand = processes.inHand.filter(({ to }) => to === id).map(({ what }) => what.replace("request: ", ""));
  if (inHand.length > 0) return { id, name, isDown: false, does: `works on ${inHand.join(", ")}` };
  const isHolder = id === SCHEDULER && record?.lockedBy;
  return { id, name, isDown: false, does: isHolder ? `runs attempt ${record.attempt}` : "waits for work" };
}

function recordView(record: StateRecord): RecordView {
  const { processState, lockedBy, completeBy, failureCount, attempt, direction, error } = record;
  const fields: (readonly [string, string])[] = [
    ["processState", processState],
    ["lockedBy", lockedBy ?? "nobody"],
    ["completeBy", completeBy ? timeOf(completeBy) : "none"],
    ["failureCount", String(failureCount)],
    ["attempt", String(attempt)],
  ];
  if (direction !== "forward") fields.push(["direction", direction]);
  if (error) fields.push(["error", error.message]);
  const steps = Object.entries(record.steps).map(([name, { compensation, ...run }]) => {
    const { state, completeBy: until, retryCount } = compensation ?? run;
    const shown = compensation ? `compensation: ${state}` : state;
    return { name, state: shown, completeBy: until && timeOf(until), retries: retryCount };
  });
  return { fields, processState, steps };
}

function serviceView(id: string, { down, effects, calls }: Seen): ServiceView {
  const own = calls.filter(({ service }) => service === id);
  const counts = new Map<string, number>();
  for (const { service, operation } of effects)
    if (service === id) counts.set(operation, (counts.get(operation) ?? 0) + 1);
  return {
    ...{ id, isDown: down.has(id), calls: own.length },
    unanswered: own.filter(({ outcome }) => isUnanswered(outcome)).length,
    effects: [...counts].map(([operation, times]) => ({ operation, times })),
  };
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Of the day, to the second. */
function timeOf(at: string | number): string {
  return new Date(at).toISOString().slice(11, 19);
}
