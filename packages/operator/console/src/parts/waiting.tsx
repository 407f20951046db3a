// What waits outside the jobs' own work: messages that could not be processed, and steps that are reported later.
import { Link } from "wouter";
import type { AwaitingStep, DeadLetterCounts } from "../api/contract.ts";
import { useAwaiting, useDeadLetterCounts } from "../api/queries.ts";
import { ATTENTION } from "../words/attention.ts";
import { AWAITING } from "../words/awaiting.ts";
import { DEAD_LETTERS } from "../words/dead-letters.ts";
import { TEXT } from "../words/frame.ts";
import { Section } from "./notices.tsx";
import { Age, Instant } from "./zone.tsx";

/** Steps that whoever does them reports later: an approval may be among them. */
export function AwaitedReports() {
  const awaiting = useAwaiting();
  return (
    <Section id="awaited" title={AWAITING.title} query={awaiting}>
      {({ steps, isAll }) => {
        const [first] = steps;
        return first ? <Awaited first={first} count={TEXT.capped(steps.length, isAll)} /> : null;
      }}
    </Section>
  );
}

function Awaited({ first, count }: { readonly first: AwaitingStep; readonly count: string }) {
  return (
    <article className="group">
      <span className="count">{count}</span>
      <div className="cause">
        <h3>
          <Link href="/awaiting">{AWAITING.all}</Link>
        </h3>
        <p className="quiet">
          {AWAITING.next} {first.step}, <Link href={`/jobs/${first.jobId}`}>{first.jobId}</Link>
          {first.until && (
            <>
              , <Instant at={first.until} />
            </>
          )}
        </p>
      </div>
    </article>
  );
}

/** Queues that hold messages which nobody takes any more: of which causes, how old, and who sees to them. */
export function DeadLetterSection() {
  const counts = useDeadLetterCounts();
  return (
    <Section id="messages" title={ATTENTION.messages} query={counts}>
      {({ queues }) => {
        const waiting = queues.filter((queue) => "error" in queue || queue.count > 0);
        return waiting.length === 0 ? null : (
          <ul className="groups">
            {waiting.map((queue) => (
              <li key={queue.queue}>
                <Queue queue={queue} />
              </li>
            ))}
          </ul>
        );
      }}
    </Section>
  );
}

function Queue({ queue: counted }: { readonly queue: DeadLetterCounts["queues"][number] }) {
  const { queue } = counted;
  const isCounted = !("error" in counted);
  return (
    <article className="group">
      <span className="count">{isCounted ? TEXT.capped(counted.count, counted.isAll) : "?"}</span>
      <div className="cause">
        <h3>
          <Link href={`/dead-letters/${queue}`}>{ATTENTION.queue(queue)}</Link>
        </h3>
        {isCounted ? <Causes causes={counted.causes} isAll={counted.isAll} /> : <p>{DEAD_LETTERS.uncounted}</p>}
      </div>
    </article>
  );
}

type Counted = Extract<DeadLetterCounts["queues"][number], { readonly count: number }>;

function Causes({ causes, isAll }: Pick<Counted, "causes" | "isAll">) {
  return (
    <ul className="causes">
      {causes.map(({ cause, count, oldestAt }) => (
        <li key={cause ?? ""}>
          <span className="message">{cause ?? ATTENTION.otherReasons}</span>
          <span className="quiet">
            {count > 1 && `${ATTENTION.messageCount(count, isAll)}, ${ATTENTION.oldest} `}
            {oldestAt && <Age at={oldestAt} />}
          </span>
        </li>
      ))}
    </ul>
  );
}
