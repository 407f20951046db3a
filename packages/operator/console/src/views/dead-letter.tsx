// One message that could not be processed: read, edit, send again, or discard.
import { useState } from "react";
import { Link } from "wouter";
import type { Discarded, Resent } from "../api/contract.ts";
import { useDeadLetter } from "../api/queries.ts";
import { Decision, Message } from "../parts/message.tsx";
import { Loaded, Notice } from "../parts/notices.tsx";
import { useInstant } from "../parts/zone.tsx";
import { ATTENTION } from "../words/attention.ts";
import { DEAD_LETTERS } from "../words/dead-letters.ts";

/** What was done, and where a copy of what was discarded stands. */
interface Done {
  readonly words: string;
  readonly discarded?: string;
}

export function DeadLetterView({ queue, sequenceNumber }: { readonly queue: string; readonly sequenceNumber: string }) {
  const message = useDeadLetter(queue, sequenceNumber);
  const [done, setDone] = useState<Done>();
  const instant = useInstant();
  const path = `dead-letters/${encodeURIComponent(queue)}/${encodeURIComponent(sequenceNumber)}`;
  const wordsOf = (action: "resend" | "discard", answer: unknown): Done => {
    if (action === "resend") return { words: resentWords(answer as Resent) };
    const { discarded, keptUntil } = answer as Discarded;
    return { words: DEAD_LETTERS.discarded(instant(keptUntil)), discarded };
  };
  return (
    <>
      <p>
        <Link href={`/dead-letters/${queue}`}>{ATTENTION.queue(queue)}</Link>
      </p>
      <h1>{DEAD_LETTERS.message(sequenceNumber)}</h1>
      {done !== undefined ? (
        <div role="status">
          <Notice title={done.words} kind="good">
            {done.discarded && <Link href={`/discarded/${done.discarded}`}>{DEAD_LETTERS.seeDiscarded}</Link>}
          </Notice>
        </div>
      ) : (
        <Loaded query={message}>
          {(data) => (
            <Message message={data}>
              <Decision
                key={sequenceNumber}
                message={data}
                path={path}
                queryKey={["dead-letters", queue, sequenceNumber]}
                actions={["resend", "discard"]}
                about={`${DEAD_LETTERS.resendAbout} ${DEAD_LETTERS.discard}: ${DEAD_LETTERS.discardAbout}`}
                done={(action, answer) => setDone(wordsOf(action, answer))}
              />
            </Message>
          )}
        </Loaded>
      )}
    </>
  );
}

function resentWords({ target, removed }: Resent): string {
  const sent = DEAD_LETTERS.resent(target);
  return removed ? sent : `${sent} ${DEAD_LETTERS.notRemoved}`;
}
