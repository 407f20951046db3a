// One message that could not be processed: read, edit, send again, or discard.
import { Button, Field, Textarea } from "@fluentui/react-components";
import { useState } from "react";
import { Link } from "wouter";
import { ApiFault, post } from "../api/client.ts";
import type { DeadLetter, Resent } from "../api/contract.ts";
import { useDeadLetter, useRemoved, useSession } from "../api/queries.ts";
import { Fault, Loaded, Notice } from "../parts/notices.tsx";
import { Age } from "../parts/zone.tsx";
import { ATTENTION } from "../words/attention.ts";
import { DEAD_LETTERS } from "../words/dead-letters.ts";
import { FAULTS, TEXT } from "../words/frame.ts";

export function DeadLetterView({ queue, sequenceNumber }: { readonly queue: string; readonly sequenceNumber: string }) {
  const message = useDeadLetter(queue, sequenceNumber);
  const [done, setDone] = useState<string>();
  return (
    <>
      <p>
        <Link href={`/dead-letters/${queue}`}>{ATTENTION.queue(queue)}</Link>
      </p>
      <h1>{DEAD_LETTERS.message(sequenceNumber)}</h1>
      {done !== undefined ? (
        <div role="status">
          <Notice title={done} kind="good" />
        </div>
      ) : (
        <Loaded query={message}>{(data) => <Message message={data} done={setDone} />}</Loaded>
      )}
    </>
  );
}

interface MessageProps {
  readonly message: DeadLetter;
  readonly done: (words: string) => void;
}

function Message({ message, done }: MessageProps) {
  const { applicationProperties, body } = message;
  const faults = Object.entries(applicationProperties).filter(([name]) => /^fault\d+$/.test(name));
  const facts = [
    [DEAD_LETTERS.order, message.orderId],
    [DEAD_LETTERS.messageId, message.messageId],
    [DEAD_LETTERS.subject, message.subject],
    [DEAD_LETTERS.deliveries, message.deliveryCount],
    [DEAD_LETTERS.enqueued, message.enqueuedAt && <Age key="at" at={message.enqueuedAt} />],
    ...Object.entries(applicationProperties).filter(([name]) => !/^fault/.test(name)),
  ] as const;
  const why = [message.reason, message.description].filter(Boolean);
  return (
    <>
      <div className="cause-box bad">
        <h2>{faults.length > 0 ? DEAD_LETTERS.faults : DEAD_LETTERS.reason}</h2>
        <ul className="listed">
          {(faults.length > 0 ? faults.map(([, text]) => String(text)) : why).map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      </div>
      {body.kind === "binary" && <p>{DEAD_LETTERS.binary}</p>}
      <Decision key={message.sequenceNumber} message={message} done={done} />
      <h2>{DEAD_LETTERS.properties}</h2>
      <dl>
        {facts.flatMap(([name, value]) =>
          value === null || value === undefined
            ? []
            : [
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{typeof value === "boolean" ? String(value) : value}</dd>
                </div>,
              ],
        )}
      </dl>
    </>
  );
}

function Decision({ message, done }: MessageProps) {
  const { queue, sequenceNumber, body } = message;
  const { data: session } = useSession();
  const removed = useRemoved();
  const original = textOf(body);
  const [text, setText] = useState(original);
  const [reason, setReason] = useState("");
  const [fault, setFault] = useState<ApiFault>();
  const [isBusy, setBusy] = useState(false);
  const isEdited = text !== original;
  const edited = isEdited ? parsed(text) : undefined;
  const isWrong = isEdited && edited === undefined;
  const mayOperate = session?.mayOperate ?? false;

  const act = async (action: "resend" | "discard") => {
    setBusy(true);
    setFault(undefined);
    try {
      const path = `dead-letters/${encodeURIComponent(queue)}/${encodeURIComponent(sequenceNumber)}/${action}`;
      const asked = { reason, ...(action === "resend" && edited && { body: edited.json }) };
      const answer = await post<Partial<Resent>>(path, asked);
      done(action === "discard" ? DEAD_LETTERS.discarded : resentWords(answer));
      await removed(queue, sequenceNumber);
    } catch (cause) {
      setFault(cause instanceof ApiFault ? cause : new ApiFault("failed", 0, String(cause)));
    } finally {
      setBusy(false);
    }
  };

  const canAct = mayOperate && !isBusy && reason.trim() !== "";
  return (
    <section className="decision">
      {body.kind !== "binary" && (
        <Field
          label={DEAD_LETTERS.edit}
          {...(isWrong && { validationState: "error", validationMessage: DEAD_LETTERS.notJson })}
        >
          <Textarea className="body" value={text} resize="vertical" onChange={(_, { value }) => setText(value)} />
        </Field>
      )}
      {session && !mayOperate && <p className="quiet">{FAULTS.forbidden.advice}</p>}
      <Field label={TEXT.reason} hint={TEXT.messageReasonHint} required>
        <Textarea value={reason} maxLength={500} onChange={(_, { value }) => setReason(value)} />
      </Field>
      <div className="buttons">
        <Button appearance="primary" disabled={!canAct || isWrong} onClick={() => void act("resend")}>
          {DEAD_LETTERS.resend}
        </Button>
        <Button disabled={!canAct} onClick={() => void act("discard")}>
          {DEAD_LETTERS.discard}
        </Button>
      </div>
      <p className="quiet">
        {DEAD_LETTERS.resendAbout} {DEAD_LETTERS.discard}: {DEAD_LETTERS.discardAbout}
      </p>
      {fault && <Fault cause={fault} />}
    </section>
  );
}

function resentWords({ target = "", removed }: Partial<Resent>): string {
  const sent = DEAD_LETTERS.resent(target);
  return removed ? sent : `${sent} ${DEAD_LETTERS.notRemoved}`;
}

function textOf(body: DeadLetter["body"]): string {
  if (body.kind === "json") return JSON.stringify(body.json, null, 2);
  return body.kind === "text" ? body.text : "";
}

function parsed(text: string): { readonly json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
