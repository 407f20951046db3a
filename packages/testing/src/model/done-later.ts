// How a service ends what it accepted: it does it or rejects it.

import { stepOfRun } from "@scheduler-agent-supervisor/core/domain";
import {
  act,
  mayReject,
  type OperationCall,
  REJECTED,
  reject,
  rejectPolled,
  type Said,
  type ServiceState,
  saidBy,
  stepOf,
} from "./service.ts";
import type { Setting } from "./setting.ts";

/** Whether its agent polls the service, which reports nothing then. */
export function isPolled({ polled = [] }: Setting, { key }: Pick<OperationCall, "key">): boolean {
  return polled.includes(stepOfRun(stepOf(key)));
}

interface End {
  readonly what: string;
  readonly serviceState: ServiceState;
  /** What it reports: nothing to an agent that polls. */
  readonly says?: Said;
  /** A run without faults does not come to it. */
  readonly isRejection?: true;
}

/** The first is the one without a fault. */
export function endsLater(before: ServiceState, call: OperationCall, setting: Setting): readonly End[] {
  return isPolled(setting, call) ? polledEnds(before, call) : serviceEnds(before, call);
}

/** Its agent finds them when it polls. */
function polledEnds(before: ServiceState, call: OperationCall): readonly End[] {
  return serviceEnds(before, call).map(({ says, ...end }) =>
    says?.kind === "rejected" ? { ...end, serviceState: rejectPolled(before, call) } : end,
  );
}

function serviceEnds(before: ServiceState, call: OperationCall): readonly End[] {
  const { serviceState, answer } = act(before, call);
  const done: End = { what: answer.kind, serviceState, says: saidBy(answer) };
  if (!mayReject(before, call)) return [done];
  const rejected = { what: "rejected", serviceState: reject(before, call), says: saidBy(REJECTED) };
  return [done, { ...rejected, isRejection: true }];
}
