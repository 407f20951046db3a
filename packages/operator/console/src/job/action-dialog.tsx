// Asks for what an action takes, has it done at the version that was looked at, and shows what somebody else changed meanwhile.

import { type FormEvent, lazy, Suspense, useId, useLayoutEffect, useRef, useState } from "react";
import { ApiFault, get, post } from "../api/client.ts";
import type { Acted, Inspection } from "../api/contract.ts";
import { useRefresh } from "../api/queries.ts";
import { changesBetween, DifferenceTable } from "../parts/changes.tsx";
import { ExtensionField } from "../parts/extension-field.tsx";
import { Button, Checkbox, Field, Textarea } from "../parts/fluent.ts";
import { Fault, Loading, Progress } from "../parts/notices.tsx";
import { Said } from "../parts/zone.tsx";
import { AWAITING } from "../words/awaiting.ts";
import { TEXT } from "../words/frame.ts";
import { ACTIONS, JOB, OUTCOMES, USUAL_EXTENSION } from "../words/job.ts";
import { type Asked, type AskedOutcome, awaitedSteps } from "./asked.ts";

const ResultForm = lazy(async () => ({ default: (await import("./result-form.tsx")).ResultForm }));
const EditForm = lazy(async () => ({ default: (await import("./edit-form.tsx")).EditForm }));

interface ActionDialogProps {
  readonly asked: Asked;
  /** The job as it was when the dialog was opened. */
  readonly opened: Inspection;
  readonly environment: string;
  readonly close: () => void;
  readonly done: (words: string) => void;
}

export function ActionDialog({ asked, opened: inspection, environment, close, done }: ActionDialogProps) {
  // What is polled meanwhile must not change what is decided on.
  const [base, setBase] = useState(inspection);
  const [seenBefore, setSeenBefore] = useState<Inspection>();
  const [reason, setReason] = useState("");
  const [result, setResult] = useState<unknown>({});
  const [by, setBy] = useState<string>(USUAL_EXTENSION);
  const [manual, setManually] = useState(false);
  const [forward, setForward] = useState(false);
  const [draft, setDraft] = useState<unknown>(inspection.job);
  const [fault, setFault] = useState<ApiFault>();
  const [isBusy, setBusy] = useState(false);
  const [hasTried, setTried] = useState(false);
  const refresh = useRefresh();
  const title = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    // Closed before it goes, it gives the focus back to where that was.
    return () => current?.close();
  }, []);

  const { jobId } = base.record;
  const { name, about, action, permission, report, outcome } = meaningOf(asked, base);
  const { resubmit } = base.actions;
  const resubmission = action === "resubmit" && resubmit.allowed ? resubmit : undefined;
  const mayChoose = asked === "resubmit" && resubmission?.orForward === true;
  const isForward = mayChoose && forward;
  const needsWord = resubmission?.requires !== undefined && !isForward;
  const edits = changesBetween(base.job, draft);
  const resultOf = report?.as === "done" ? report.step : stepDone(outcome);
  const given = resultOf === undefined ? {} : result;
  const isReady =
    reason.trim() !== "" && (!needsWord || manual) && (asked !== "edit" || edits.length > 0) && given !== undefined;

  const act = async (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!isReady || isBusy) return;
    setBusy(true);
    setFault(undefined);
    try {
      const body = {
        reason,
        ...(action === "extend" && { by }),
        ...(asked === "edit" && { job: draft }),
        ...(needsWord && { compensatedManually: manual }),
        ...(isForward && { direction: "forward" }),
        ...(report && { kind: report.as }),
        ...(outcome && { outcome: outcome.outcome, direction: outcome.direction }),
        ...(resultOf !== undefined && { result: given }),
      };
      await post<Acted>(`jobs/${encodeURIComponent(jobId)}/${action}`, body, base.etag);
      await refresh();
      done(JOB.done(name));
    } catch (cause) {
      const known = cause instanceof ApiFault ? cause : new ApiFault("failed", 0, String(cause));
      setFault(known);
      if (known.kind === "changed") await lookAgain();
    } finally {
      setBusy(false);
    }
  };

  const lookAgain = async () => {
    const current = await get<Inspection>(`jobs/${encodeURIComponent(jobId)}`);
    setSeenBefore(base);
    setBase(current);
  };

  return (
    <dialog
      ref={dialog}
      className={asked === "edit" ? "action wide" : "action"}
      aria-labelledby={title}
      onCancel={(event) => {
        event.preventDefault();
        if (!isBusy) close();
      }}
    >
      <form className="dialog" onSubmit={act}>
        <h2 id={title}>{(report || outcome ? JOB.confirmReport : JOB.confirm)(name, jobId, environment)}</h2>
        <p>{about}</p>
        {seenBefore && <ChangedMeanwhile before={seenBefore} after={base} />}
        {asked === "edit" && (
          <Suspense fallback={<Loading />}>
            <EditForm value={draft} faults={fault?.faults ?? []} change={setDraft} />
            <h3>{JOB.changes}</h3>
            {edits.length > 0 ? <DifferenceTable changes={edits} /> : <p className="quiet">{JOB.noChanges}</p>}
          </Suspense>
        )}
        {action === "extend" && <ExtensionField by={by} choose={setBy} />}
        {resultOf !== undefined && (
          <Suspense fallback={<Loading />}>
            <ResultForm
              inspection={base}
              step={resultOf}
              value={result}
              faults={fault?.faults ?? []}
              change={setResult}
            />
          </Suspense>
        )}
        {resubmission?.direction === "compensate" && asked === "resubmit" && !isForward && <p>{JOB.continued}</p>}
        {resubmission && asked === "resubmit" && !isForward && <Keys keys={resubmission.keys} />}
        {mayChoose && (
          <Checkbox label={JOB.forward} checked={forward} onChange={(_, { checked }) => setForward(checked === true)} />
        )}
        {needsWord && (
          <Field validationMessage={hasTried && !manual ? JOB.wordMissing : null}>
            <Checkbox
              label={JOB.manual}
              checked={manual}
              onChange={(_, { checked }) => setManually(checked === true)}
            />
          </Field>
        )}
        <Field
          label={TEXT.reason}
          hint={report ? AWAITING.reasonHint : outcome ? OUTCOMES.reasonHint : TEXT.reasonHint}
          required
          validationMessage={hasTried && reason.trim() === "" ? TEXT.reasonMissing : null}
        >
          <Textarea value={reason} maxLength={500} onChange={(_, { value }) => setReason(value)} />
        </Field>
        {fault && fault.kind !== "changed" && <Fault cause={fault} />}
        <div className="buttons">
          <Button type="submit" appearance="primary" disabled={isBusy || !permission.allowed}>
            {seenBefore ? `${JOB.again}: ${name}` : name}
          </Button>
          <Button onClick={close} disabled={isBusy}>
            {TEXT.close}
          </Button>
          <Progress isBusy={isBusy} />
        </div>
      </form>
    </dialog>
  );
}

function Keys({ keys: { next, same } }: { readonly keys: { readonly next: string[]; readonly same: string[] } }) {
  return (
    <>
      {next.length > 0 && <p>{JOB.nextKey(next)}</p>}
      {same.length > 0 && <p>{JOB.sameKey(same)}</p>}
    </>
  );
}

/** What is asked for in words, its part of the address, and whether it is possible as the job stands. */
function meaningOf(asked: Asked, base: Inspection) {
  if (typeof asked === "object" && "outcome" in asked) {
    const { step, direction, outcome } = asked;
    const allowed = base.unknownOutcomes.some((one) => one.step === step && one.direction === direction);
    const action = `steps/${encodeURIComponent(step)}/outcome`;
    const name = OUTCOMES.name(step, direction, outcome);
    return { name, about: OUTCOMES.about[outcome], action, permission: permissionOf(allowed), outcome: asked };
  }
  if (typeof asked === "object") {
    const { step, as } = asked;
    const allowed = awaitedSteps(base).includes(step);
    const permission = permissionOf(allowed);
    const action = `steps/${encodeURIComponent(step)}/report`;
    return { name: AWAITING.report[as](step), about: AWAITING.reportAbout[as], action, permission, report: asked };
  }
  const action = asked === "edit" ? "resubmit" : asked;
  const { name, about } = ACTIONS[action];
  return { name: asked === "edit" ? JOB.edit : name, about, action, permission: base.actions[action] };
}

/** The step that has a result: a compensation has none. */
function stepDone(asked: AskedOutcome | undefined): string | undefined {
  return asked?.outcome === "done" && asked.direction === "forward" ? asked.step : undefined;
}

function permissionOf(allowed: boolean): Inspection["actions"]["compensate"] {
  return allowed ? { allowed } : { allowed, reason: "" };
}

function ChangedMeanwhile({ before, after }: { readonly before: Inspection; readonly after: Inspection }) {
  const changes = changesBetween(shownOf(before), shownOf(after));
  const denied = Object.values(after.actions).find((permission) => !permission.allowed);
  return (
    <section className="notice notice-bad" role="alert">
      <h3>{JOB.changedTitle}</h3>
      <p>{JOB.changedAbout}</p>
      {changes.length > 0 ? <DifferenceTable changes={changes} /> : <p>{JOB.nothingChanged}</p>}
      {denied && !denied.allowed && (
        <p className="quiet">
          <Said text={denied.reason} />
        </p>
      )}
    </section>
  );
}

/** What an operator decides on, and not the store's own marks. */
function shownOf({ record, job }: Inspection) {
  const { processState: state, attempt, direction, error, history, steps } = record;
  const states = Object.fromEntries(Object.entries(steps).map(([name, step]) => [name, step.state]));
  const last = history.at(-1);
  const lastChange = last && `${last.what} (${last.by})`;
  return {
    state,
    attempt,
    direction,
    error: error && { kind: error.kind, message: error.message },
    lastChange,
    states,
    job,
  };
}
