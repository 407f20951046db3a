// What operators discarded in the last days: a list, and one message to be read, edited and sent again.

import { useState } from "react";
import { Link } from "wouter";
import type { DiscardedPage, Resent } from "../api/contract.ts";
import { useDiscarded, useDiscardedMessage } from "../api/queries.ts";
import { Button } from "../parts/fluent.ts";
import { Decision, Message } from "../parts/message.tsx";
import { Loaded, Notice } from "../parts/notices.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Age, Instant } from "../parts/zone.tsx";
import { ATTENTION } from "../words/attention.ts";
import { DEAD_LETTERS } from "../words/dead-letters.ts";
import { TEXT } from "../words/frame.ts";

type Row = DiscardedPage["discarded"][number];

const COLUMNS: readonly Column<Row>[] = [
  {
    name: DEAD_LETTERS.sequenceNumber,
    cell: ({ id, message }) => (
      <span className="sequence">
        <Link href={`/discarded/${id}`}>{message.sequenceNumber}</Link>
      </span>
    ),
  },
  { name: DEAD_LETTERS.cameFrom, cell: ({ queue }) => ATTENTION.queue(queue) },
  { name: DEAD_LETTERS.reason, cell: ({ message: { reason, description } }) => reason ?? description },
  {
    get name() {
      return DEAD_LETTERS.job;
    },
    cell: ({ message }) => message.jobId && <span className="short">{message.jobId}</span>,
  },
  { name: DEAD_LETTERS.discardedBy, cell: ({ by }) => <span className="short">{by}</span> },
  { name: TEXT.reason, cell: ({ why }) => why },
  { name: DEAD_LETTERS.discardedAt, cell: ({ at }) => <Age at={at} /> },
  { name: DEAD_LETTERS.keptUntil, cell: ({ keptUntil }) => <Instant at={keptUntil} /> },
];

export function DiscardedView() {
  const messages = useDiscarded();
  return (
    <>
      <p>
        <Link href="/dead-letters">{TEXT.deadLetters}</Link>
      </p>
      <h1>{DEAD_LETTERS.allDiscarded}</h1>
      <p>{DEAD_LETTERS.discardedAbout}</p>
      <Loaded query={messages}>
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.discarded);
          if (rows.length === 0) return <Notice title={DEAD_LETTERS.noneDiscarded} />;
          return (
            <>
              <Table caption={DEAD_LETTERS.allDiscarded} columns={COLUMNS} rows={rows} keyOf={({ id }) => id} />
              {messages.hasNextPage && (
                <Button disabled={messages.isFetchingNextPage} onClick={() => void messages.fetchNextPage()}>
                  {TEXT.more}
                </Button>
              )}
            </>
          );
        }}
      </Loaded>
    </>
  );
}

export function DiscardedMessageView({ id }: { readonly id: string }) {
  const discarded = useDiscardedMessage(id);
  const [done, setDone] = useState<string>();
  return (
    <>
      <p>
        <Link href="/discarded">{DEAD_LETTERS.allDiscarded}</Link>
      </p>
      <h1>{DEAD_LETTERS.discardedMessage}</h1>
      {done !== undefined ? (
        <div role="status">
          <Notice title={done} kind="good" />
        </div>
      ) : (
        <Loaded query={discarded}>
          {({ message, queue, at, by, why, keptUntil }) => (
            <Message
              message={message}
              facts={[
                [DEAD_LETTERS.cameFrom, ATTENTION.queue(queue)],
                [DEAD_LETTERS.discardedAt, <Instant key="at" at={at} />],
                [DEAD_LETTERS.discardedBy, by],
                [TEXT.reason, why],
                [DEAD_LETTERS.keptUntil, <Instant key="until" at={keptUntil} />],
              ]}
            >
              <Decision
                message={message}
                path={`discarded-messages/${encodeURIComponent(id)}`}
                queryKey={["discarded", id]}
                actions={["resend"]}
                about={DEAD_LETTERS.resendDiscardedAbout}
                done={(_, answer) => setDone(DEAD_LETTERS.resent((answer as Resent).target))}
              />
            </Message>
          )}
        </Loaded>
      )}
    </>
  );
}
