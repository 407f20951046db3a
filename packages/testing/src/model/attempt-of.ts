// Which attempt a piece is of.
import type { Attempt, StartAttempt, StepTask } from "@scheduler-agent-supervisor/core/internal/domain/attempt";
import { runOf } from "@scheduler-agent-supervisor/core/internal/domain/plan";
import type { Report } from "@scheduler-agent-supervisor/core/internal/scheduler/completion";
import type { Versioned } from "@scheduler-agent-supervisor/core/internal/store/job-store";
import type { Asked, Replied, Reported } from "./calls.ts";
import type { Entry } from "./operation-run.ts";
import type { Operation, Piece } from "./pieces.ts";
import type { Values } from "./pool.ts";

/** Undefined of a piece that is of no attempt. */
export function attemptOf(piece: Piece, values: Values): number | undefined {
  if (piece.kind === "orchestration") return values.get<Attempt>(piece.input).attempt;
  if (piece.kind !== "operation") return undefined;
  switch (piece.name) {
    case "takeStartAttempt":
    case "runStep":
    case "askAgent":
    case "publishEnd":
      return values.get<StartAttempt | StepTask>(piece.input).attempt;
    case "answerRequest":
      return values.get<Asked>(piece.input).request.ticket.attempt;
    case "takeReply": {
      const said = values.get<Replied | Reported>(piece.input);
      return "report" in said ? reportedOf(piece, said.report, values) : said.reply.ticket.attempt;
    }
    default:
      return undefined;
  }
}

/** A report is of the run that it found last; undefined before it looked, and afterwards. */
function reportedOf({ log }: Operation, { address: { step, direction } }: Report, values: Values): number | undefined {
  const records = log.flatMap((entry) => {
    const met = values.get<Entry>(entry);
    const { record } = (("answer" in met && met.answer) || {}) as Partial<Versioned>;
    return record ?? [];
  });
  return runOf(records.at(-1)?.steps[step], direction)?.attempt;
}
