// The steps as an ordered list: all that the graph shows, in words, with each step's last fault, endpoint and result.
import { roundedDuration } from "@scheduler-agent-supervisor/core/domain/duration-words";
import type { Inspection, OrderRecord, StepRecord, StepRun, WorkflowStep } from "../api/contract.ts";
import { StepBadge } from "../parts/badges.tsx";
import { Instant } from "../parts/zone.tsx";
import { ORDER, SKIP_CAUSES } from "../words/order.ts";

interface StepsProps {
  readonly record: OrderRecord;
  readonly workflow: Inspection["workflow"];
}

export function Steps({ record: { steps }, workflow }: StepsProps) {
  const known = new Map(workflow?.steps.map((step) => [step.name, step]));
  return (
    <ol className="steps">
      {Object.entries(steps).map(([name, step]) => (
        <li key={name}>
          <Step name={name} record={step} step={known.get(name)} />
        </li>
      ))}
    </ol>
  );
}

interface StepProps {
  readonly name: string;
  readonly record: StepRecord;
  readonly step: WorkflowStep | undefined;
}

function Step({ name, record, step }: StepProps) {
  const { agent, compensation, result } = record;
  const order = step && (step.after.length === 0 ? ORDER.first : ORDER.afterSteps(step.after.join(", ")));
  return (
    <>
      <h3>
        {name} <StepBadge state={record.state} />
      </h3>
      <p className="quiet">{[agent, step?.operation, order].filter(Boolean).join(" · ")}</p>
      {record.skipped && (
        <p className={record.skipped.cause === "rejected" || record.skipped.cause === "expired" ? "fault" : "quiet"}>
          {SKIP_CAUSES[record.skipped.cause]}: {record.skipped.message}
        </p>
      )}
      <Run run={record} />
      {result && Object.keys(result).length > 0 && (
        <p className="quiet result">
          {ORDER.result}:{" "}
          {Object.entries(result)
            .map(([member, value]) => `${member} ${String(value)}`)
            .join(", ")}
        </p>
      )}
      {compensation && (
        <>
          <h4>
            {ORDER.compensation(name)} <StepBadge state={compensation.state} />
          </h4>
          <Run run={compensation} />
        </>
      )}
    </>
  );
}

function Run({ run }: { readonly run: StepRun }) {
  const {
    state,
    completeBy,
    accepted,
    error,
    expiry,
    endpoint,
    because,
    startedAt,
    endedAt,
    retryCount,
    failureCount = 0,
    waitCount,
  } = run;
  const took = startedAt && endedAt ? roundedDuration(Date.parse(endedAt) - Date.parse(startedAt)) : undefined;
  const counts = [
    retryCount > 0 && ORDER.tries(retryCount),
    (retryCount > 0 || failureCount > 0) && ORDER.countedFailures(failureCount),
    waitCount > 0 && ORDER.waits(waitCount),
  ].filter(Boolean);
  return (
    <>
      {error && <p className="fault">{error}</p>}
      {expiry && (
        <p className="fault">
          {ORDER.expiry(expiry.attempt, expiry.tries)}
          {expiry.endpoint && ` (${expiry.endpoint})`}: {expiry.message}
          {expiry.misconfigured && ` ${ORDER.misconfigured}`}
        </p>
      )}
      {accepted && (
        <p className="quiet">
          <Instant at={accepted.at} /> · {ORDER.accepted}
          {accepted.reference && `, ${ORDER.reference(accepted.reference)}`}
          {state === "Awaiting" && completeBy && (
            <>
              {" · "}
              {ORDER.awaited} <Instant at={completeBy} />
            </>
          )}
          {accepted.lastReportAt && (
            <>
              {" · "}
              {ORDER.received} <Instant at={accepted.lastReportAt} />
              {accepted.progress && `: ${accepted.progress}`}
            </>
          )}
        </p>
      )}
      {(startedAt || counts.length > 0) && (
        <p className="quiet">
          {startedAt && <Instant at={startedAt} />}
          {[took, ...counts].filter(Boolean).map((text) => ` · ${String(text)}`)}
        </p>
      )}
      {endpoint && (
        <p className="quiet">
          {ORDER.endpoint} {endpoint}
          {because && `: ${because}`}
        </p>
      )}
    </>
  );
}
