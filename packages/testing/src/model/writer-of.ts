// Who writes, as the checks of a write know it: the operation, its attempt and holder, its step, and what it has found.

import { holderId, type StateRecord, type Versioned } from "@scheduler-agent-supervisor/core/domain";
import { aboutOf, type Replied, type Reported } from "./calls.ts";
import { isEndOfStep } from "./handed-on.ts";
import { isPastDeadline } from "./normal-form.ts";
import type { Entry } from "./operation-run.ts";
import type { Operation } from "./piece.ts";
import type { Pieces } from "./pieces.ts";
import type { Doing, Reads } from "./reads.ts";
import { CONTENT, HOSTS, type Host, type Setting } from "./setting.ts";
import { isEnded, type Writer } from "./watch.ts";

export function writerOf(operation: Doing, pieces: Pieces, reads: Reads, { mutant, idle }: Setting): Writer {
  const attempt = pieces.attemptOf(operation.id);
  const hub = mutant?.oneTaskHub ? (HOSTS[0] as Host) : operation.host;
  const reply = operation.name === "takeReply" ? replyOf(operation, pieces) : undefined;
  const own = isEndOfStep(operation.name) ? reads.runOf(operation) : undefined;
  return {
    operation: operation.name,
    ...(operation.name === "sweep" && hasFoundPast(operation, pieces) && { isPastDeadline: true }),
    ...(idle && { isNobodyThere: true }),
    ...(own && { own }),
    ...(reply && { reply }),
    ...(attempt !== undefined && { attempt, holder: holderId(CONTENT.jobId, attempt, hub) }),
  };
}

function hasFoundPast({ log }: Operation, pieces: Pieces): boolean {
  const met = log.map((entry) => pieces.values.get<Entry>(entry));
  const [found] = met.flatMap((entry) => ("answer" in entry ? [(entry.answer as Versioned | null)?.record] : []));
  return found !== undefined && isHitByDeadline(found);
}

/** Of a job that goes forward, whatever it waits for. */
export function isHitByDeadline(record: StateRecord): boolean {
  return isPastDeadline(record) && !isEnded(record) && record.direction === "forward";
}

function replyOf({ input, log }: Operation, { values }: Pieces): Writer["reply"] {
  const readings = log.map((entry) => values.get<Entry>(entry)).flatMap((entry) => ("now" in entry ? [entry.now] : []));
  const { step, direction } = aboutOf(values.get<Replied | Reported>(input));
  return { step, direction, acceptedAt: readings.at(-1) ?? "" };
}
