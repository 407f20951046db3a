// One job: why it needs a person, what can be done, its steps, and all that has happened to it.

import { lazy, type ReactNode, Suspense, useState } from "react";
import type { Inspection, JobRecord } from "../api/contract.ts";
import { useJob, useSession } from "../api/queries.ts";
import { Actions } from "../job/actions.tsx";
import { Attempts } from "../job/attempts.tsx";
import { History } from "../job/history.tsx";
import { Statuses } from "../job/statuses.tsx";
import { Steps } from "../job/steps.tsx";
import { Timeline } from "../job/timeline.tsx";
import { JobBadge } from "../parts/badges.tsx";
import { Copy } from "../parts/copy.tsx";
import { Checkbox } from "../parts/fluent.ts";
import { Loaded, Loading } from "../parts/notices.tsx";
import { Take } from "../parts/taken-by.tsx";
import { WaitWords } from "../parts/wait-words.tsx";
import { Age, Instant, Said } from "../parts/zone.tsx";
import { HELD_UP } from "../words/held-up.ts";
import { AUDIT, JOB } from "../words/job.ts";

const Audit = lazy(async () => ({ default: (await import("../job/audit.tsx")).Audit }));
const Graph = lazy(async () => ({ default: (await import("../job/graph.tsx")).Graph }));

export function JobView({ jobId }: { readonly jobId: string }) {
  const job = useJob(jobId);
  return (
    <>
      <div className="titled">
        <h1 className="job-id">{jobId}</h1>
        <Copy text={jobId} name={jobId} />
      </div>
      <Loaded query={job}>{(inspection) => <Job inspection={inspection} />}</Loaded>
    </>
  );
}

function Job({ inspection }: { readonly inspection: Inspection }) {
  const { record, job, workflow } = inspection;
  const [failedOnly, setFailedOnly] = useState(false);
  return (
    <>
      <CurrentState inspection={inspection} />
      <Actions inspection={inspection} />
      <Take jobId={record.jobId} />
      <Section title={JOB.steps}>
        {workflow && (
          <Suspense fallback={<Loading />}>
            <Graph steps={workflow.steps} records={record.steps} />
          </Suspense>
        )}
        <Steps record={record} workflow={workflow} />
      </Section>
      <Section title={JOB.timeline}>
        <Checkbox
          label={JOB.failedOnly}
          checked={failedOnly}
          onChange={(_, { checked }) => setFailedOnly(checked === true)}
        />
        <Timeline record={record} failedOnly={failedOnly} />
      </Section>
      <Attempts record={record} />
      <Section title={JOB.history}>
        <History history={record.history} failedOnly={failedOnly} />
      </Section>
      <Section title={JOB.statuses}>
        <Statuses statuses={inspection.statuses} replyTo={record.replyTo} />
      </Section>
      <Section title={AUDIT.title}>
        <Suspense fallback={<Loading />}>
          <Audit jobId={record.jobId} />
        </Suspense>
      </Section>
      <div className="columns">
        <Section title={JOB.details}>
          <Details record={record} />
        </Section>
        <Section title={JOB.content}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard. */}
          <pre tabIndex={0}>{JSON.stringify(job, null, 2)}</pre>
        </Section>
      </div>
    </>
  );
}

/** By which a trace is found; a link where a setting says to what. */
function Trace({ traceId }: { readonly traceId: string }) {
  const { data: session } = useSession();
  if (!session?.traceUrl) return traceId;
  return (
    <a href={session.traceUrl.replaceAll("{traceId}", encodeURIComponent(traceId))} target="_blank" rel="noreferrer">
      {traceId}
    </a>
  );
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="section">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function CurrentState({ inspection: { record, waits } }: { readonly inspection: Inspection }) {
  const { processState, error, direction } = record;
  const isOver = ["Compensated", "Cancelled"].includes(processState) || error?.kind === "resolved";
  const title = isOver ? JOB.ended : processState === "Error" ? JOB.cause : JOB.under;
  return (
    <div className="current-state">
      <JobBadge state={processState} kind={error?.kind} />
      {direction === "compensate" && (
        <span className="quiet">
          {JOB.labels.direction}: {JOB.directions.compensate}
        </span>
      )}
      {waits.length > 0 && (
        <div className="cause-box">
          <h2>{HELD_UP.job}</h2>
          {waits.map((wait) => (
            <p key={`${wait.step} ${wait.direction}`}>
              <WaitWords wait={wait} />
            </p>
          ))}
        </div>
      )}
      {error && (
        <div className={isOver ? "cause-box" : "cause-box bad"}>
          <h2>{title}</h2>
          <p className="message">
            <Said text={error.message} />
          </p>
          <p className="quiet">
            {[error.step, error.agent].filter(Boolean).join(" · ")} · <Age at={error.at} />
          </p>
        </div>
      )}
    </div>
  );
}

function Details({ record }: { readonly record: JobRecord }) {
  const { workflow, attempt, failureCount, priority, createdAt, updatedAt, dueAt, deadlineAt, correlationId, owner } =
    record;
  const traceId = record.traceparent?.split("-")[1];
  const { labels } = JOB;
  const rows: readonly (readonly [string, ReactNode])[] = [
    [labels.workflow, `${workflow.name} v${workflow.version}`],
    [labels.attempt, attempt],
    [labels.failures, failureCount],
    [labels.direction, JOB.directions[record.direction]],
    [labels.priority, priority],
    [labels.revision, record.jobRevision],
    [labels.created, <Instant key="at" at={createdAt} />],
    [labels.updated, <Instant key="at" at={updatedAt} />],
    [labels.due, dueAt ? <Instant key="at" at={dueAt} /> : JOB.none],
    ...(deadlineAt ? [[labels.deadline, <Instant key="at" at={deadlineAt} />] as const] : []),
    [
      labels.correlation,
      <span key="id">
        {correlationId} <Copy text={correlationId} name={labels.correlation} />
      </span>,
    ],
    ...(owner === undefined ? [] : [[labels.owner, owner] as const]),
    [
      labels.trace,
      traceId ? (
        <span key="trace">
          <Trace traceId={traceId} /> <Copy text={traceId} name={labels.trace} />
        </span>
      ) : (
        JOB.none
      ),
    ],
  ];
  return (
    <dl>
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
