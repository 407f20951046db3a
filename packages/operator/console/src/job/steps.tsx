// The steps as an ordered list: all that the graph shows, in words, with each step's last fault, endpoint and result.
import { roundedDuration } from "@scheduler-agent-supervisor/operator/domain";
import type { Inspection, JobRecord, StepRecord, StepRun, WorkflowStep } from "../api/contract.ts";
import { StepBadge } from "../parts/badges.tsx";
import { Instant, Said } from "../parts/zone.tsx";
import { AWAITING } from "../words/awaiting.ts";
import { JOB, SKIP_CAUSES } from "../words/job.ts";

interface StepsProps {
  readonly record: JobRecord;
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
  const assignedTo = record.assignee && `${AWAITING.assignedTo} ${record.assignee}`;
  const job = step && (step.after.length === 0 ? JOB.first : JOB.afterSteps(step.after.join(", ")));
  return (
    <>
      <h3>
        {name} <StepBadge state={record.state} />
      </h3>
      <p className="quiet">{[agent, step?.operation, job, assignedTo].filter(Boolean).join(" · ")}</p>
      {record.skipped && (
        <p className={record.skipped.cause === "rejected" || record.skipped.cause === "expired" ? "fault" : "quiet"}>
          {SKIP_CAUSES[record.skipped.cause]}: <Said text={record.skipped.message} />
        </p>
      )}
      <Run run={record} />
      {result && Object.keys(result).length > 0 && (
        <p className="quiet result">
          {JOB.result}:{" "}
          {Object.entries(result)
            .map(([member, value]) => `${member} ${typeof value === "object" ? JSON.stringify(value) : value}`)
            .join(", ")}
        </p>
      )}
      {compensation && (
        <>
          <h4>
            {JOB.compensation(name)} <StepBadge state={compensation.state} />
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
    retryCount > 0 && JOB.tries(retryCount),
    (retryCount > 0 || failureCount > 0) && JOB.countedFailures(failureCount),
    waitCount > 0 && JOB.waits(waitCount),
  ].filter(Boolean);
  return (
    <>
      {error && (
        <p className="fault">
          <Said text={error} />
        </p>
      )}
      {expiry && (
        <p className="fault">
          {JOB.expiry(expiry.attempt, expiry.tries)}
          {expiry.endpoint && ` (${expiry.endpoint})`}: <Said text={expiry.message} />
          {expiry.ofCode && ` · ${JOB.ofCode}`}
          {expiry.misconfigured && ` · ${JOB.misconfigured}`}
        </p>
      )}
      {accepted && (
        <p className="quiet">
          <Instant at={accepted.at} /> · {JOB.accepted}
          {accepted.reference && `, ${JOB.reference(accepted.reference)}`}
          {state === "Awaiting" && completeBy && (
            <>
              {" · "}
              {JOB.awaited} <Instant at={completeBy} />
            </>
          )}
          {accepted.lastReportAt && (
            <>
              {" · "}
              {JOB.received} <Instant at={accepted.lastReportAt} />
              {accepted.progress && <Said text={`: ${accepted.progress}`} />}
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
          {JOB.endpoint} {endpoint}
          {because && <Said text={`: ${because}`} />}
        </p>
      )}
    </>
  );
}
