// The messages of one cause: what is wrong with them, one edit for all, and sending or discarding all of them, one first.

import { patchBetween } from "@scheduler-agent-supervisor/operator/domain";
import { useEffect, useRef, useState } from "react";
import { Link } from "wouter";
import type { DeadLetter, DeadLetterCauses } from "../api/contract.ts";
import { type MessageAction, type MessagesDone, runMessageWavesByApi } from "../api/message-waves.ts";
import { useDeadLetter, useDeadLetterCauses, useRemoved, useSession } from "../api/queries.ts";
import { BodyEditor, parsed } from "../parts/body-editor.tsx";
import { changesBetween, DifferenceTable } from "../parts/changes.tsx";
import { Button, Field, Textarea } from "../parts/fluent.ts";
import { faultsOf } from "../parts/message.tsx";
import { Fault, Loaded, Loading, Notice } from "../parts/notices.tsx";
import { RunProgress } from "../parts/run-progress.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Age } from "../parts/zone.tsx";
import { ATTENTION } from "../words/attention.ts";
import { BULK } from "../words/bulk.ts";
import { DEAD_LETTERS } from "../words/dead-letters.ts";
import { FAULTS, TEXT } from "../words/frame.ts";

type Cause = DeadLetterCauses["causes"][number];

export function DeadLetterCauseView({ queue, id }: { readonly queue: string; readonly id: string }) {
  const causes = useDeadLetterCauses(queue);
  // What is being done stays in sight when its cause is gone.
  const [begun, begin] = useState<Cause>();
  return (
    <>
      <p>
        <Link href={`/dead-letters/${queue}`}>{ATTENTION.queue(queue)}</Link>
      </p>
      <h1>{DEAD_LETTERS.ofCause}</h1>
      <Loaded query={causes} hidesAge>
        {(data) => {
          const cause = begun ?? data.causes.find((one) => one.id === id);
          if (!cause) return <Notice title={DEAD_LETTERS.causeGone} kind="good" />;
          return <Messages queue={queue} cause={cause} isAll={data.isAll} begin={() => begin(cause)} />;
        }}
      </Loaded>
    </>
  );
}

interface MessagesProps {
  readonly queue: string;
  readonly cause: Cause;
  readonly isAll: boolean;
  readonly begin: () => void;
}

function Messages({ queue, cause, isAll, begin }: MessagesProps) {
  const [first = ""] = cause.numbers;
  const sample = useDeadLetter(queue, first);
  return (
    <>
      <article className="group">
        <span className="count">{TEXT.capped(cause.count, isAll)}</span>
        <div className="cause">
          <h2 className="message">{cause.cause ?? DEAD_LETTERS.noReason}</h2>
          {cause.oldestAt && (
            <p className="quiet">
              {ATTENTION.oldest} <Age at={cause.oldestAt} />
            </p>
          )}
        </div>
      </article>
      {!isAll && <p>{DEAD_LETTERS.moreThanRead}</p>}
      {sample.error && <Fault cause={sample.error} retry={() => void sample.refetch()} />}
      {sample.data === undefined && !sample.error ? (
        <Loading />
      ) : (
        <Decision {...{ queue, cause, begin }} sample={sample.data} />
      )}
    </>
  );
}

interface DecisionProps extends Omit<MessagesProps, "isAll"> {
  /** Undefined if it can't be read any more. */
  readonly sample: DeadLetter | undefined;
}

function Decision({ queue, cause, sample, begin }: DecisionProps) {
  const { data: session } = useSession();
  const removed = useRemoved();
  const original = sample?.body.kind === "json" ? JSON.stringify(sample.body.json, null, 2) : undefined;
  const [text, setText] = useState<string>();
  const [reason, setReason] = useState("");
  const [done, setDone] = useState<MessagesDone>();
  const [fault, setFault] = useState<unknown>();
  const running = useRef<AbortController>(undefined);
  // Whoever leaves the view stops after the current wave.
  useEffect(() => () => running.current?.abort(), []);
  const shown = text ?? original ?? "";
  const edit = parsed(shown);
  const patch = edit && original !== undefined ? patchBetween(JSON.parse(original), edit.json) : undefined;
  const isWrong = original !== undefined && edit === undefined;
  const isBusy = done?.state === "running";
  const start = async (action: MessageAction) => {
    const stop = new AbortController();
    running.current = stop;
    begin();
    setFault(undefined);
    try {
      const asked = { action, reason, ...(action === "resend" && patch !== undefined && { patch }) };
      await runMessageWavesByApi(queue, cause, asked, setDone, stop.signal);
    } catch (failed) {
      setFault(failed);
      setDone((before) => before && { ...before, state: "stopped" });
    }
    // Its first message is asked for under this key, and is gone.
    await removed(["dead-letters", queue, cause.numbers[0] ?? ""]);
  };
  if (done) {
    return (
      <>
        <Progress done={done} stop={() => running.current?.abort()} />
        {fault !== undefined && <Fault cause={fault} />}
      </>
    );
  }
  const canAct = (session?.mayOperate ?? false) && !isBusy && reason.trim() !== "";
  return (
    <section className="decision">
      <p>{DEAD_LETTERS.canary}</p>
      {original !== undefined && (
        <details>
          <summary>{DEAD_LETTERS.editAll}</summary>
          <BodyEditor
            label={DEAD_LETTERS.editSample(cause.numbers[0] ?? "")}
            hint={DEAD_LETTERS.editAllAbout}
            text={shown}
            faults={sample ? faultsOf(sample) : []}
            isForMany
            change={setText}
          />
          {patch !== undefined && edit && <DifferenceTable changes={changesBetween(JSON.parse(original), edit.json)} />}
        </details>
      )}
      {session && !session.mayOperate && <p className="quiet">{FAULTS.forbidden.advice}</p>}
      <Field label={TEXT.reason} hint={TEXT.messageReasonHint} required>
        <Textarea value={reason} maxLength={500} onChange={(_, { value }) => setReason(value)} />
      </Field>
      <div className="buttons">
        <Button appearance="primary" disabled={!canAct || isWrong} onClick={() => void start("resend")}>
          {patch === undefined ? DEAD_LETTERS.resendAll(cause.count) : DEAD_LETTERS.resendAllEdited(cause.count)}
        </Button>
        <Button disabled={!canAct} onClick={() => void start("discard")}>
          {DEAD_LETTERS.discardAll(cause.count)}
        </Button>
      </div>
      <p className="quiet">{`${DEAD_LETTERS.resendAbout} ${DEAD_LETTERS.discard}: ${DEAD_LETTERS.discardAbout}`}</p>
    </section>
  );
}

type Result = MessagesDone["skipped"][number];
const COLUMNS: readonly Column<Result>[] = [
  { name: DEAD_LETTERS.sequenceNumber, cell: ({ sequenceNumber }) => sequenceNumber },
  { name: BULK.why, cell: ({ reason }) => reason },
];

function Progress({ done, stop }: { readonly done: MessagesDone; readonly stop: () => void }) {
  const { state, total, handled, back, skipped, action } = done;
  const tiles = [
    [action === "resend" ? DEAD_LETTERS.sentAgain : DEAD_LETTERS.allDiscardedNow, handled - skipped.length],
    [BULK.results.same, back],
    [BULK.results.skipped, skipped.length],
    [DEAD_LETTERS.left, total - handled],
  ] as const;
  return (
    <>
      <p role="status" className="said">
        {DEAD_LETTERS.states[state]}
      </p>
      <RunProgress label={DEAD_LETTERS.progress} done={handled} total={total} counts={tiles} />
      {state === "running" ? (
        <div className="buttons">
          <Button onClick={stop}>{DEAD_LETTERS.stop}</Button>
        </div>
      ) : (
        <p>
          <Link href="/">{BULK.next}</Link>
        </p>
      )}
      {skipped.length > 0 && (
        <Table
          caption={BULK.results.skipped}
          columns={COLUMNS}
          rows={skipped}
          keyOf={({ sequenceNumber }) => sequenceNumber}
        />
      )}
    </>
  );
}
