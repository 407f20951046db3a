// Which attempt a piece is of.

import {
  type Attempt,
  runOf,
  type StartAttempt,
  type StepTask,
  type Versioned,
} from "@scheduler-agent-supervisor/core/domain";
import type { Address } from "@scheduler-agent-supervisor/core/messaging";
import type { Asked, Replied, Reported } from "./calls.ts";
import type { Entry } from "./operation-run.ts";
import type { Operation, Piece } from "./piece.ts";
import type { Values } from "./pool.ts";

/** Undefined of a piece that is of no attempt. */
export function attemptOf(piece: Piece, values: Values): number | undefined {
  if (piece.kind === "orchestration") return values.get<Attempt>(piece.input).attempt;
  if (piece.kind !== "operation") return undefined;
  switch (piece.name) {
    case "takeStartAttempt":
    case "runStep":
    case "askAgent":
    case "pollStep":
    case "publishEnd":
      return values.get<StartAttempt | StepTask>(piece.input).attempt;
    case "answerRequest":
      return values.get<Asked>(piece.input).request.ticket.attempt;
    case "takeReply": {
      const said = values.get<Replied | Reported>(piece.input);
      return "report" in said ? foundIn(piece, said.report.address, values) : said.reply.ticket.attempt;
    }
    default:
      return undefined;
  }
}

/** A report, or a poll, is of the run that it found last; undefined before it looked, and afterwards. */
export function foundIn(
  { log }: Pick<Operation, "log">,
  { step, direction }: Pick<Address, "step" | "direction">,
  values: Values,
): number | undefined {
  const records = log.flatMap((entry) => {
    const met = values.get<Entry>(entry);
    const { record } = (("answer" in met && met.answer) || {}) as Partial<Versioned>;
    return record ?? [];
  });
  return runOf(records.at(-1)?.steps[step], direction)?.attempt;
}
