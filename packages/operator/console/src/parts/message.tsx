// A message that could not be processed: its faults, its properties, and what can be done with it.

import { editBetween } from "@scheduler-agent-supervisor/operator/domain";
import { type ReactNode, useState } from "react";
import { ApiFault, post } from "../api/client.ts";
import type { DiscardedMessage } from "../api/contract.ts";
import { useRemoved, useSession } from "../api/queries.ts";
import { DEAD_LETTERS } from "../words/dead-letters.ts";
import { FAULTS, TEXT } from "../words/frame.ts";
import { BodyEditor, parsed } from "./body-editor.tsx";
import { Button, Field, Textarea } from "./fluent.ts";
import { Fault, Progress } from "./notices.tsx";
import { Age } from "./zone.tsx";

/** All that a dead letter and a discarded message have in common. */
export type ShownMessage = DiscardedMessage["message"];
type Fact = readonly [string, ReactNode];

interface MessageProps {
  readonly message: ShownMessage;
  /** What else is known of it. */
  readonly facts?: readonly Fact[];
  /** What an operator may decide. */
  readonly children: ReactNode;
}

export function Message({ message, facts = [], children }: MessageProps) {
  const { applicationProperties, body } = message;
  const faults = faultsOf(message);
  const all: readonly Fact[] = [
    ...facts,
    [DEAD_LETTERS.job, message.jobId],
    [DEAD_LETTERS.messageId, message.messageId],
    [DEAD_LETTERS.subject, message.subject],
    [DEAD_LETTERS.deliveries, message.deliveryCount],
    [DEAD_LETTERS.enqueued, message.enqueuedAt && <Age key="at" at={message.enqueuedAt} />],
    ...Object.entries(applicationProperties).filter(([name]) => !/^fault/.test(name)),
  ];
  const why = [message.reason, message.description].filter(Boolean);
  return (
    <>
      <div className="cause-box bad">
        <h2>{faults.length > 0 ? DEAD_LETTERS.faults : DEAD_LETTERS.reason}</h2>
        <ul className="listed">
          {(faults.length > 0 ? faults : why).map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      </div>
      {body.kind === "binary" && <p>{DEAD_LETTERS.binary}</p>}
      {children}
      <h2>{DEAD_LETTERS.properties}</h2>
      <dl>
        {all.flatMap(([name, value]) =>
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

/** What is wrong with a message in the quarantine, each with its place. */
export const faultsOf = ({ applicationProperties }: ShownMessage): readonly string[] =>
  Object.entries(applicationProperties).flatMap(([name, text]) => (/^fault\d+$/.test(name) ? [String(text)] : []));

type Action = "resend" | "discard";

interface DecisionProps {
  readonly message: ShownMessage;
  /** Its address in the API, and the key that it is asked for under. */
  readonly path: string;
  readonly queryKey: readonly string[];
  readonly actions: readonly Action[];
  readonly about: string;
  readonly done: (action: Action, answer: unknown) => void;
}

export function Decision({ message, path, queryKey, actions, about, done }: DecisionProps) {
  const { data: session } = useSession();
  const removed = useRemoved();
  const { body } = message;
  const original = textOf(body);
  const [text, setText] = useState(original);
  const [reason, setReason] = useState("");
  const [fault, setFault] = useState<ApiFault>();
  const [isBusy, setBusy] = useState(false);
  const isEdited = text !== original;
  const edited = isEdited ? parsed(text) : undefined;
  const isWrong = isEdited && edited === undefined;
  const mayOperate = session?.mayOperate ?? false;

  const act = async (action: Action) => {
    setBusy(true);
    setFault(undefined);
    try {
      const asked = {
        reason,
        ...(action === "resend" && edited && editBetween(body.kind === "json" ? body.json : undefined, edited.json)),
      };
      done(action, await post<unknown>(`${path}/${action}`, asked));
      await removed(queryKey);
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
        <BodyEditor label={DEAD_LETTERS.edit} text={text} faults={faultsOf(message)} change={setText} />
      )}
      {session && !mayOperate && <p className="quiet">{FAULTS.forbidden.advice}</p>}
      <Field label={TEXT.reason} hint={TEXT.messageReasonHint} required>
        <Textarea value={reason} maxLength={500} onChange={(_, { value }) => setReason(value)} />
      </Field>
      <div className="buttons">
        {actions.map((action, place) => (
          <Button
            key={action}
            appearance={place === 0 ? "primary" : "secondary"}
            disabled={!canAct || (action === "resend" && isWrong)}
            onClick={() => void act(action)}
          >
            {DEAD_LETTERS[action]}
          </Button>
        ))}
        <Progress isBusy={isBusy} />
      </div>
      <p className="quiet">{about}</p>
      {fault && <Fault cause={fault} />}
    </section>
  );
}

function textOf(body: ShownMessage["body"]): string {
  if (body.kind === "json") return JSON.stringify(body.json, null, 2);
  return body.kind === "text" ? body.text : "";
}
