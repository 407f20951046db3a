// One order: why it needs a person, what can be done, its steps, and all that has happened to it.
import { Checkbox } from "@fluentui/react-components";
import { lazy, type ReactNode, Suspense, useState } from "react";
import type { Inspection, OrderRecord } from "../api/contract.ts";
import { useOrder, useSession } from "../api/queries.ts";
import { Actions } from "../order/actions.tsx";
import { History } from "../order/history.tsx";
import { Statuses } from "../order/statuses.tsx";
import { Steps } from "../order/steps.tsx";
import { Timeline } from "../order/timeline.tsx";
import { OrderBadge } from "../parts/badges.tsx";
import { Loaded, Loading } from "../parts/notices.tsx";
import { Age, Instant } from "../parts/zone.tsx";
import { AUDIT, ORDER } from "../words/order.ts";

const Audit = lazy(async () => ({ default: (await import("../order/audit.tsx")).Audit }));
const Graph = lazy(async () => ({ default: (await import("../order/graph.tsx")).Graph }));

const Handling = lazy(async () => ({ default: (await import("../parts/handling.tsx")).Handling }));

export function OrderView({ orderId }: { readonly orderId: string }) {
  const order = useOrder(orderId);
  return (
    <>
      <h1 className="order-id">{orderId}</h1>
      <Loaded query={order}>{(inspection) => <Order inspection={inspection} />}</Loaded>
    </>
  );
}

function Order({ inspection }: { readonly inspection: Inspection }) {
  const { record, order, workflow } = inspection;
  const [failedOnly, setFailedOnly] = useState(false);
  return (
    <>
      <Standing record={record} />
      <Actions inspection={inspection} />
      <Suspense>
        <Handling target={{ kind: "order", id: record.orderId }} />
      </Suspense>
      <Section title={ORDER.steps}>
        {workflow && (
          <Suspense fallback={<Loading />}>
            <Graph steps={workflow.steps} records={record.steps} />
          </Suspense>
        )}
        <Steps record={record} workflow={workflow} />
      </Section>
      <Section title={ORDER.timeline}>
        <Checkbox
          label={ORDER.failedOnly}
          checked={failedOnly}
          onChange={(_, { checked }) => setFailedOnly(checked === true)}
        />
        <Timeline record={record} failedOnly={failedOnly} />
      </Section>
      <Section title={ORDER.history}>
        <History history={record.history} failedOnly={failedOnly} />
      </Section>
      <Section title={ORDER.statuses}>
        <Statuses statuses={inspection.statuses} replyTo={record.replyTo} />
      </Section>
      <Section title={AUDIT.title}>
        <Suspense fallback={<Loading />}>
          <Audit orderId={record.orderId} />
        </Suspense>
      </Section>
      <div className="columns">
        <Section title={ORDER.details}>
          <Details record={record} />
        </Section>
        <Section title={ORDER.content}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard. */}
          <pre tabIndex={0}>{JSON.stringify(order, null, 2)}</pre>
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

function Standing({ record: { processState, error, direction } }: { readonly record: OrderRecord }) {
  const isOver = ["Compensated", "Cancelled"].includes(processState) || error?.kind === "resolved";
  const title = isOver ? ORDER.ended : processState === "Error" ? ORDER.cause : ORDER.under;
  return (
    <div className="standing">
      <OrderBadge state={processState} kind={error?.kind} />
      {direction === "compensate" && <span className="quiet">{ORDER.directions.compensate}</span>}
      {error && (
        <div className={isOver ? "cause-box" : "cause-box bad"}>
          <h2>{title}</h2>
          <p className="message">{error.message}</p>
          <p className="quiet">
            {[error.step, error.agent].filter(Boolean).join(" · ")} · <Age at={error.at} />
          </p>
        </div>
      )}
    </div>
  );
}

function Details({ record }: { readonly record: OrderRecord }) {
  const { workflow, attempt, failureCount, priority, createdAt, updatedAt, dueAt, correlationId, owner } = record;
  const traceId = record.traceparent?.split("-")[1];
  const { labels } = ORDER;
  const rows: readonly (readonly [string, ReactNode])[] = [
    [labels.workflow, `${workflow.name} v${workflow.version}`],
    [labels.attempt, attempt],
    [labels.failures, failureCount],
    [labels.direction, ORDER.directions[record.direction]],
    [labels.priority, priority],
    [labels.revision, record.orderRevision],
    [labels.created, <Instant key="at" at={createdAt} />],
    [labels.updated, <Instant key="at" at={updatedAt} />],
    [labels.due, dueAt ? <Instant key="at" at={dueAt} /> : ORDER.none],
    [labels.correlation, correlationId],
    ...(owner === undefined ? [] : [[labels.owner, owner] as const]),
    [labels.trace, traceId ? <Trace key="trace" traceId={traceId} /> : ORDER.none],
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
