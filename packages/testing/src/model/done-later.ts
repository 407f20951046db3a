// How a service ends what it accepted: it does it or rejects it. A child job ends in the ways in which its own exploration saw it end.

import { stepOfRun } from "@scheduler-agent-supervisor/core/domain";
import {
  act,
  IN_ERROR,
  inError,
  mayReject,
  REJECTED,
  reject,
  rejectPolled,
  type Said,
  type ServiceCall,
  type ServiceState,
  saidBy,
  stepOf,
} from "./service.ts";
import type { Bounds, ChildEnds, Setting } from "./setting.ts";

/** Whether its agent polls the service, which reports nothing then. */
export function isPolled({ polled = [] }: Setting, { key }: Pick<ServiceCall, "key">): boolean {
  return polled.includes(stepOfRun(stepOf(key)));
}

interface End {
  readonly what: string;
  readonly serviceState: ServiceState;
  /** What it reports: nothing of a child in Error, which waits for a person, nor to an agent that polls. */
  readonly says?: Said;
  readonly spends?: keyof Bounds;
  /** A run without faults does not come to it. */
  readonly isFault?: true;
}

/** The first is the one without a fault. */
export function endsLater(before: ServiceState, call: ServiceCall, setting: Setting): readonly End[] {
  if (isPolled(setting, call)) return polledEnds(before, call);
  const child = setting.children?.[stepOfRun(stepOf(call.key))];
  const ends = child && before[call.key] !== "live" ? childEnds(before, call, child) : undefined;
  return ends ?? serviceEnds(before, call);
}

/** Its agent finds them when it polls. */
function polledEnds(before: ServiceState, call: ServiceCall): readonly End[] {
  return serviceEnds(before, call).map(({ says, ...end }) =>
    says?.kind === "rejected" ? { ...end, serviceState: rejectPolled(before, call) } : end,
  );
}

function serviceEnds(before: ServiceState, call: ServiceCall): readonly End[] {
  const { serviceState, answer } = act(before, call);
  const done: End = { what: answer.kind, serviceState, says: saidBy(answer) };
  return mayReject(before, call) ? [done, { ...rejectedEnd(before, call), spends: "rejections" }] : [done];
}

function rejectedEnd(before: ServiceState, call: ServiceCall): End {
  return { what: "rejected", serviceState: reject(before, call), says: saidBy(REJECTED), isFault: true };
}

/** Undefined where it has been taken back, or was rejected: then a late submission is rejected. */
function childEnds(before: ServiceState, call: ServiceCall, ends: ChildEnds): readonly End[] | undefined {
  if (call.compensates !== null) {
    const stays: End = { what: "the child stays in Error", serviceState: before, isFault: true };
    return ends.mayStay ? [...serviceEnds(before, call), stays] : undefined;
  }
  const standing = before[call.key];
  const stays: End = { what: "the child is in Error", serviceState: inError(before, call), isFault: true };
  if (standing === IN_ERROR) return [withoutFault(stays)];
  if (standing !== undefined) return undefined;
  const [processed] = serviceEnds(before, call);
  const found = [
    ...(ends.processed && processed ? [processed] : []),
    ...(ends.takenBack ? [rejectedEnd(before, call)] : []),
    ...(ends.error ? [stays] : []),
  ];
  return found.map((end, at) => (at === 0 ? withoutFault(end) : end));
}

const withoutFault = ({ isFault: _, ...end }: End): End => end;
