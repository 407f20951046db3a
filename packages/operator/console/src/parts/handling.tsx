// Claims a job or a cause, and holds what operators have noted about it.

import { type FormEvent, useState } from "react";
import { ApiFault, post } from "../api/client.ts";
import type { HandlingAnswer } from "../api/contract.ts";
import { useClaims, useRefresh, useSession } from "../api/queries.ts";
import { HANDLING } from "../words/attention.ts";
import { TEXT } from "../words/frame.ts";
import { type HandlingTarget, isOf } from "./claimed-by.tsx";
import { Button, Field, Textarea } from "./fluent.ts";
import { Fault, Progress, Unknown } from "./notices.tsx";
import { Instant, useInstant } from "./zone.tsx";

type Change = { readonly kind: "claim" | "release" } | { readonly kind: "note"; readonly text: string };

export function Handling({ target }: { readonly target: HandlingTarget }) {
  const { data, error, refetch } = useClaims();
  const { data: session } = useSession();
  const refresh = useRefresh();
  const words = useInstant();
  const [text, setText] = useState("");
  const [fault, setFault] = useState<ApiFault>();
  const [isBusy, setBusy] = useState(false);
  if (!data) return error ? <Unknown words={TEXT.claimsUnknown} cause={error} retry={() => void refetch()} /> : null;
  const own = data.handlings.find(isOf(target));
  // What was noted about a cause stands with each of its jobs too, also when they are in another group by now.
  const ofGroups = data.handlings.filter(
    ({ target: { kind }, jobIds }) => target.kind === "job" && kind === "group" && jobIds.includes(target.id),
  );
  const shown = [...(own ? [own] : []), ...ofGroups];
  const notes = shown.flatMap((one) => one.notes).sort((one, other) => other.at.localeCompare(one.at));
  const mayOperate = session?.mayOperate ?? false;
  const isMine = own?.claim?.by === session?.operator;

  const change = async (asked: Change) => {
    setBusy(true);
    setFault(undefined);
    try {
      await post<HandlingAnswer>("claims", { target, change: asked }, own?.etag);
      if (asked.kind === "note") setText("");
    } catch (cause) {
      setFault(cause instanceof ApiFault ? cause : new ApiFault("failed", 0, String(cause)));
    } finally {
      await refresh();
      setBusy(false);
    }
  };
  const note = (event: FormEvent) => {
    event.preventDefault();
    void change({ kind: "note", text });
  };

  return (
    <section className="section" aria-label={HANDLING.title}>
      <h2>{HANDLING.title}</h2>
      {shown.map(({ target: { kind, id }, claim }) =>
        claim ? (
          <p key={`${kind} ${id}`}>
            {HANDLING.claimed(claim.by, words(claim.until))}
            {kind === "group" && target.kind === "job" && ` (${HANDLING.withGroup})`}
          </p>
        ) : null,
      )}
      {error && <Unknown words={TEXT.claimsUnknown} cause={error} retry={() => void refetch()} />}
      {fault && <Fault cause={fault} />}
      <div className="buttons">
        {(!own?.claim || isMine) && (
          <Button disabled={isBusy || !mayOperate} onClick={() => void change({ kind: "claim" })}>
            {own?.claim ? HANDLING.longer : HANDLING.claim}
          </Button>
        )}
        {own?.claim && isMine && (
          <Button disabled={isBusy || !mayOperate} onClick={() => void change({ kind: "release" })}>
            {HANDLING.release}
          </Button>
        )}
        <Progress isBusy={isBusy} />
      </div>
      <ul className="notes">
        {notes.map(({ at, by, text: words }) => (
          <li key={`${at} ${by}`}>
            <p className="message">
              <WithLinks text={words} />
            </p>
            <p className="quiet">
              {by}, <Instant at={at} />
            </p>
          </li>
        ))}
      </ul>
      <form className="note" onSubmit={note}>
        <Field label={HANDLING.note} hint={HANDLING.noteHint}>
          <Textarea value={text} maxLength={500} onChange={(_, { value }) => setText(value)} />
        </Field>
        <Button type="submit" disabled={isBusy || !mayOperate || text.trim() === ""}>
          {HANDLING.addNote}
        </Button>
      </form>
    </section>
  );
}

/** Addresses, such as a ticket's, can be followed. */
function WithLinks({ text }: { readonly text: string }) {
  return text.split(/(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)])/).map((part, place) =>
    place % 2 === 1 ? (
      <a key={part} href={part} target="_blank" rel="noreferrer">
        {part}
      </a>
    ) : (
      part
    ),
  );
}
