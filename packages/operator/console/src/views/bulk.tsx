// An action on many jobs: what its preview found, its start, and how far it has come. Every operator sees the same.

import { type FormEvent, useState } from "react";
import { Link } from "wouter";
import { ApiFault, post } from "../api/client.ts";
import type { BulkPreview, BulkProgress, BulkRun } from "../api/contract.ts";
import { previewOf, query, useBulk, useRefresh, useSession } from "../api/queries.ts";
import { BulkStateText } from "../parts/bulk-buttons.tsx";
import { filterWords } from "../parts/bulk-of-search.tsx";
import { ExtensionField } from "../parts/extension-field.tsx";
import { Button, Field, Input, Textarea } from "../parts/fluent.ts";
import { Fault, Loaded } from "../parts/notices.tsx";
import { RunProgress } from "../parts/run-progress.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Instant, Said } from "../parts/zone.tsx";
import { BULK } from "../words/bulk.ts";
import { FAULTS, TEXT } from "../words/frame.ts";
import { ACTIONS, USUAL_EXTENSION } from "../words/job.ts";

/** More than so many have to be typed. */
const TYPED_ABOVE = 100;

export function BulkView({ bulkId }: { readonly bulkId: string }) {
  const bulk = useBulk(bulkId);
  return (
    <>
      <h1>{BULK.title}</h1>
      <Loaded query={bulk}>{(progress) => <Bulk progress={progress} />}</Loaded>
    </>
  );
}

function Bulk({ progress }: { readonly progress: BulkProgress }) {
  const { run } = progress;
  const { name, about } = ACTIONS[run.action];
  return (
    <>
      <p>
        <strong>{BULK.summary(name, run.total)}</strong>{" "}
        {run.cause && (
          <span className="message">
            <Said text={run.cause} />
          </span>
        )}
        {run.filter && (
          <>
            {BULK.filter}: <Link href={`/search${query(run.filter)}`}>{filterWords(run.filter)}</Link>
          </>
        )}
      </p>
      <p className="quiet">
        {about} {BULK.by(run.by)}, <Instant at={run.at} />
        {run.extendBy && `, ${BULK.extendedBy(run.extendBy)}`}
        {run.reason && `: ${run.reason}`}
      </p>
      {!run.isAll && <p>{BULK.more}</p>}
      {run.state === "previewed" ? <Start run={run} /> : <Progress progress={progress} />}
    </>
  );
}

function Start({ run }: { readonly run: BulkRun }) {
  const { data: session } = useSession();
  const notPossible = previewOf(run.bulkId)?.notPossible ?? [];
  const [reason, setReason] = useState("");
  const [typed, setTyped] = useState("");
  const [by, setBy] = useState<string>(USUAL_EXTENSION);
  const [hasTried, setTried] = useState(false);
  const { isBusy, fault, send } = useJob(run);
  const isExtension = run.action === "extend";
  const isTyped = run.total <= TYPED_ABOVE || Number(typed) === run.total;
  const start = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (reason.trim() !== "" && isTyped) send("start", { reason, count: run.total, ...(isExtension && { by }) });
  };
  const action = ACTIONS[run.action].name;
  return (
    <>
      {notPossible.length > 0 && <NotPossible jobs={notPossible} />}
      {run.total > 0 && (
        <form className="decision" noValidate onSubmit={start}>
          <p>
            <strong>{BULK.states.previewed}.</strong> {isExtension ? BULK.canaryOfExtension : BULK.canary}
          </p>
          {run.goesOn && run.goesOn.compensate > 0 && <p>{BULK.goesOn(run.goesOn.forward, run.goesOn.compensate)}.</p>}
          {run.keys && run.keys.next > 0 && <p>{BULK.nextKey(run.keys.next)}</p>}
          {run.keys && run.keys.same > 0 && <p>{BULK.sameKey(run.keys.same)}</p>}
          {isExtension && <ExtensionField by={by} choose={setBy} />}
          <Field
            label={TEXT.reason}
            hint={TEXT.reasonHint}
            required
            validationMessage={hasTried && reason.trim() === "" ? TEXT.reasonMissing : null}
          >
            <Textarea value={reason} maxLength={400} onChange={(_, { value }) => setReason(value)} />
          </Field>
          {run.total > TYPED_ABOVE && (
            <Field
              label={BULK.typeCount(run.total)}
              validationMessage={hasTried && !isTyped ? BULK.countWrong : null}
              required
            >
              <Input inputMode="numeric" value={typed} onChange={(_, { value }) => setTyped(value)} />
            </Field>
          )}
          <div className="buttons">
            <Button type="submit" appearance="primary" disabled={isBusy || !session?.mayOperate}>
              {BULK.start(action, run.total, session?.environment ?? "")}
            </Button>
            <Button disabled={isBusy || !session?.mayOperate} onClick={() => send("cancel", {})}>
              {BULK.discard}
            </Button>
          </div>
          {session && !session.mayOperate && <p className="quiet">{FAULTS.forbidden.advice}</p>}
        </form>
      )}
      {fault && <Fault cause={fault} />}
    </>
  );
}

function NotPossible({ jobs }: { readonly jobs: BulkPreview["notPossible"] }) {
  return (
    <details open={jobs.length <= 5}>
      <summary>{BULK.notPossible(jobs.length)}</summary>
      <ul className="listed">
        {jobs.map(({ jobId, reason }) => (
          <li key={jobId}>
            <Link href={`/jobs/${jobId}`}>{jobId}</Link>: <Said text={reason} />
          </li>
        ))}
      </ul>
    </details>
  );
}

const columnsOf = (action: BulkRun["action"]): readonly Column<BulkProgress["results"][number]>[] => [
  { name: BULK.job, cell: ({ jobId }) => <Link href={`/jobs/${jobId}`}>{jobId}</Link> },
  { name: BULK.result, cell: ({ outcome, end }) => resultsOf(action)[end ?? outcome] },
  {
    name: BULK.why,
    cell: ({ reason }) => reason && <Said text={reason} />,
  },
];

const resultsOf = (action: BulkRun["action"]) => (action === "extend" ? BULK.resultsOfExtension : BULK.results);

function Progress({ progress: { run, now, limit, results } }: { readonly progress: BulkProgress }) {
  const { data: session } = useSession();
  const { isBusy, fault, send } = useJob(run);
  const counts = {
    well: run.counts.well + now.well,
    same: run.counts.same + now.same,
    other: run.counts.other + now.other,
    skipped: run.counts.skipped + now.skipped,
  };
  const ended = counts.well + counts.same + counts.other + counts.skipped;
  const tiles = [
    [resultsOf(run.action).well, counts.well],
    [BULK.results.same, counts.same],
    [BULK.results.other, counts.other],
    [BULK.results.skipped, counts.skipped],
    [BULK.left, run.total - ended],
  ] as const;
  const isUnderWay = run.state === "running" || run.state === "paused";
  return (
    <>
      <p role="status" className="said">
        {run.stopped ? BULK.stopped(run.stopped, `${limit * 100}%`) : <BulkStateText run={run} />}
      </p>
      <RunProgress label={BULK.progress} done={ended} total={run.total} counts={tiles} />
      {isUnderWay && (
        <div className="buttons">
          <Button
            disabled={isBusy || !session?.mayOperate}
            onClick={() => send(run.state === "paused" ? "resume" : "pause", {})}
          >
            {run.state === "paused" ? BULK.resume : BULK.pause}
          </Button>
          <Button disabled={isBusy || !session?.mayOperate} onClick={() => send("cancel", {})}>
            {BULK.cancel}
          </Button>
        </div>
      )}
      {!isUnderWay && (
        <p>
          <Link href="/">{BULK.next}</Link>
        </p>
      )}
      {fault && <Fault cause={fault} />}
      {results.length > 0 && (
        <Table caption={BULK.jobs} columns={columnsOf(run.action)} rows={results} keyOf={({ jobId }) => jobId} />
      )}
    </>
  );
}

function useJob(run: BulkRun) {
  const refresh = useRefresh();
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<ApiFault>();
  const give = async (job: "start" | "pause" | "resume" | "cancel", body: unknown) => {
    setBusy(true);
    setFault(undefined);
    try {
      await post(`bulk/${run.bulkId}/${job}`, body);
      await refresh();
    } catch (cause) {
      setFault(cause instanceof ApiFault ? cause : new ApiFault("failed", 0, String(cause)));
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, fault, send: (...job: Parameters<typeof give>) => void give(...job) };
}
