// The remote service, as the agents' contract has it (packages/core/src/agents/http-service.ts): idempotent by key; a compensation of what it never
// saw makes it reject what may still arrive under that key; and what it rejects for good it rejects until somebody fixes the cause. Without keys it
// does each request that reaches it: a second one is a fault (watch.ts).
import type { BoundedReply } from "@scheduler-agent-supervisor/core/agents";
import type { Direction } from "@scheduler-agent-supervisor/core/domain";
import type { Address } from "@scheduler-agent-supervisor/core/messaging";
import type { Report } from "@scheduler-agent-supervisor/core/scheduling";
import { TICK_MS } from "./abstract-time.ts";

export interface OperationCall {
  readonly kind: "service";
  readonly operation: string;
  readonly key: string;
  /** For a compensation: the key of what is to be compensated. */
  readonly compensates: string | null;
  readonly completeBy: string;
  /** Whether it was said that the agent is at work: before it runs out of time it is. */
  readonly isSaid: boolean;
  /** It asks whether that was done before. */
  readonly isQuery?: true;
  /** It polls what the service has accepted. */
  readonly isPoll?: true;
  /** What its result has beside an id: the lists for whose items later steps run. */
  readonly lists?: { readonly [member: string]: readonly object[] };
  /** The service accepts it, does it later, and reports to this. */
  readonly reportTo?: Address;
}

/** What stands under each key: an effect, or one that was compensated, also before it came, or none so far but a rejection. */
export type ServiceState = { readonly [key: string]: Entry };
type Entry = "live" | "compensated" | "rejected";

type Answer = Exclude<BoundedReply, { kind: "expired" }>;

const ROUTE = { endpoint: "http://service/", because: "only one" };
export const ACCEPTED: Answer = { kind: "accepted", ...ROUTE };
/** To be polled in a tick. */
export const PENDING: Answer = { kind: "pending", retryAfterMs: TICK_MS, ...ROUTE };
export const REJECTED = { kind: "rejected", message: "rejected", ...ROUTE } as const satisfies Answer;

/** What a step of this name records has a list, `parts`, for the runs of another. */
export const LISTING = "list";

/** What decides what a service does. */
export type ServedCall = Pick<OperationCall, "key" | "compensates" | "lists" | "isQuery" | "isPoll">;

function doneBy({ key, lists }: ServedCall): Answer {
  const result = stepOf(key) === LISTING ? { id: "1", parts: itemsOf(2) } : { id: "1", ...lists };
  return { kind: "done", result, ...ROUTE };
}

/** A list of so many. */
export function itemsOf(count: number): { readonly part: string }[] {
  return Array.from({ length: count }, (_, at) => ({ part: `${at + 1}` }));
}

export function act(
  serviceState: ServiceState,
  call: ServedCall,
): { readonly serviceState: ServiceState; readonly answer: Answer } {
  const { key, compensates } = call;
  const answer = doneBy(call);
  if (compensates !== null) return { serviceState: entered(serviceState, compensates, "compensated"), answer };
  if (serviceState[key] === "compensated" || serviceState[key] === "rejected")
    return { serviceState, answer: REJECTED };
  return { serviceState: entered(serviceState, key, "live"), answer };
}

export type Said = Report extends infer Each ? (Each extends unknown ? Omit<Each, "address"> : never) : never;

/** The report of what it did later. */
export function saidBy(answer: Answer): Said {
  if (answer.kind === "done") return { kind: "done", result: answer.result };
  return { kind: "rejected", message: answer.kind === "rejected" ? answer.message : "not done" };
}

/** What a service without keys says of a request that it may have done before. */
export function find(serviceState: ServiceState, call: OperationCall): Answer | { readonly kind: "absent" } {
  const { key, compensates } = call;
  const isDone = compensates === null ? serviceState[key] === "live" : serviceState[compensates] === "compensated";
  return isDone ? doneBy(call) : { kind: "absent" };
}

/** What a service says that is polled for what it accepted. */
export function polled(serviceState: ServiceState, call: OperationCall): Answer {
  const { key, compensates } = call;
  if (compensates !== null && serviceState[compensates] === "compensated") return doneBy(call);
  if (serviceState[key] === undefined) return PENDING;
  return serviceState[key] === "live" ? doneBy(call) : REJECTED;
}

/** What it accepted it rejects for good, and says so when it is polled. */
export function rejectPolled(serviceState: ServiceState, { key }: OperationCall): ServiceState {
  return serviceState[key] === undefined ? entered(serviceState, key, "rejected") : serviceState;
}

export function reject(serviceState: ServiceState, { key, compensates }: OperationCall): ServiceState {
  return compensates === null ? entered(serviceState, key, "rejected") : serviceState;
}

/** A key that took effect is answered as before, so only a new effect can be rejected. */
export function mayReject(serviceState: ServiceState, { key, compensates }: OperationCall): boolean {
  return compensates === null ? serviceState[key] === undefined : serviceState[compensates] === "live";
}

/** The cause of what was rejected is fixed. */
export function fixed(serviceState: ServiceState): ServiceState {
  return Object.fromEntries(Object.entries(serviceState).filter(([, entry]) => entry !== "rejected"));
}

/** A person has compensated whatever stood. */
export function compensatedManually(serviceState: ServiceState): ServiceState {
  return Object.fromEntries(
    Object.entries(serviceState).map(([key, entry]) => [key, entry === "live" ? "compensated" : entry]),
  );
}

/** As a person found it, or put it right, who says whether that was done: then it is so. */
export function recorded(
  serviceState: ServiceState,
  key: string,
  { direction, isDone }: RecordedOutcome,
): ServiceState {
  if (direction === "forward" && isDone) return entered(serviceState, key, "live");
  if (direction === "forward") {
    const { [key]: was, ...rest } = serviceState;
    return was === "live" ? rest : serviceState;
  }
  if (isDone) return entered(serviceState, key, "compensated");
  return serviceState[key] === "compensated" ? entered(serviceState, key, "live") : serviceState;
}

/** What an operator records of a step whose outcome was unknown. */
export interface RecordedOutcome {
  readonly step: string;
  readonly direction: Direction;
  readonly isDone: boolean;
}

/** The steps whose effect stands, each as often as it does. */
export function liveSteps(serviceState: ServiceState): string[] {
  return Object.entries(serviceState).flatMap(([key, state]) => (state === "live" ? [stepOf(key)] : []));
}

export function stepOf(key: string): string {
  return key.split(":")[1] ?? "";
}

/** In one order of keys, so that equal audit logs are equal texts. */
function entered(serviceState: ServiceState, key: string, state: Entry): ServiceState {
  return Object.fromEntries(
    Object.entries({ ...serviceState, [key]: state }).sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}
