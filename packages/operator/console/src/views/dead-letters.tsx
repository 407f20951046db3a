// The app's dead-letter queues and its quarantine, and the messages in one of them.

import { Link, useSearchParams } from "wouter";
import type { DeadLetterPage } from "../api/contract.ts";
import { useDeadLetterCauses, useDeadLetterCounts, useDeadLetters } from "../api/queries.ts";
import { Button } from "../parts/fluent.ts";
import { Loaded, Notice, Section } from "../parts/notices.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Age } from "../parts/zone.tsx";
import { ATTENTION } from "../words/attention.ts";
import { DEAD_LETTERS } from "../words/dead-letters.ts";
import { TEXT } from "../words/frame.ts";
import { DeadLetterCauseView } from "./dead-letter-cause.tsx";

export function DeadLettersView({ queue }: { readonly queue: string | undefined }) {
  const counts = useDeadLetterCounts();
  const [parameters] = useSearchParams();
  const cause = parameters.get("cause");
  if (queue !== undefined && cause !== null) return <DeadLetterCauseView key={cause} queue={queue} id={cause} />;
  return (
    <>
      <h1>{TEXT.deadLetters}</h1>
      <p>
        {DEAD_LETTERS.about} <Link href="/discarded">{DEAD_LETTERS.allDiscarded}</Link>
      </p>
      <Loaded query={counts}>
        {({ queues }) => (
          <ul className="queues">
            {queues.map((one) => (
              <li key={one.queue}>
                <Link href={`/dead-letters/${one.queue}`} aria-current={one.queue === queue ? "true" : undefined}>
                  {ATTENTION.queue(one.queue)}{" "}
                  <strong>{"error" in one ? "?" : TEXT.capped(one.count, one.isAll)}</strong>
                </Link>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      {queue !== undefined && <CausesOf queue={queue} />}
      {queue !== undefined && <Messages key={queue} queue={queue} />}
    </>
  );
}

/** All of one cause can be sent or discarded together. */
function CausesOf({ queue }: { readonly queue: string }) {
  const causes = useDeadLetterCauses(queue);
  return (
    <Section id="causes" title={DEAD_LETTERS.causes} query={causes}>
      {({ causes: all, isAll }) =>
        all.length === 0 ? null : (
          <ul className="groups">
            {all.map(({ id, cause, count, oldestAt }) => (
              <li key={id}>
                <article className="group">
                  <span className="count">{TEXT.capped(count, isAll)}</span>
                  <div className="cause">
                    <h3>
                      <Link href={`/dead-letters/${queue}?cause=${id}`}>{cause ?? DEAD_LETTERS.noReason}</Link>
                    </h3>
                    {oldestAt && (
                      <p className="quiet">
                        {ATTENTION.oldest} <Age at={oldestAt} />
                      </p>
                    )}
                  </div>
                </article>
              </li>
            ))}
          </ul>
        )
      }
    </Section>
  );
}

type Message = DeadLetterPage["messages"][number];

function Messages({ queue }: { readonly queue: string }) {
  const messages = useDeadLetters(queue);
  const columns: readonly Column<Message>[] = [
    {
      name: DEAD_LETTERS.sequenceNumber,
      cell: ({ sequenceNumber }) => <Link href={`/dead-letters/${queue}/${sequenceNumber}`}>{sequenceNumber}</Link>,
    },
    { name: DEAD_LETTERS.reason, cell: ({ reason, description }) => reason ?? description },
    { name: DEAD_LETTERS.job, cell: ({ jobId }) => jobId },
    { name: DEAD_LETTERS.subject, cell: ({ subject }) => subject },
    { name: DEAD_LETTERS.deliveries, isNumber: true, cell: ({ deliveryCount }) => deliveryCount },
    { name: DEAD_LETTERS.enqueued, cell: ({ enqueuedAt }) => enqueuedAt && <Age at={enqueuedAt} /> },
  ];
  return (
    <Loaded query={messages}>
      {({ pages }) => {
        const rows = pages.flatMap((page) => page.messages);
        if (rows.length === 0) return <Notice title={DEAD_LETTERS.nothing} kind="good" />;
        return (
          <>
            <Table
              caption={ATTENTION.queue(queue)}
              columns={columns}
              rows={rows}
              keyOf={({ sequenceNumber }) => sequenceNumber}
            />
            {messages.hasNextPage && (
              <Button disabled={messages.isFetchingNextPage} onClick={() => void messages.fetchNextPage()}>
                {TEXT.more}
              </Button>
            )}
          </>
        );
      }}
    </Loaded>
  );
}
