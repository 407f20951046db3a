// What can be done with many jobs, each with what it does: it begins with a preview, which changes nothing. And what is under way already.

import { useState } from "react";
import { Link, useLocation } from "wouter";
import { ApiFault, post } from "../api/client.ts";
import type { BulkPreview, BulkRun, BulkTarget } from "../api/contract.ts";
import { keepPreview, useBulkList, useSession } from "../api/queries.ts";
import { BULK } from "../words/bulk.ts";
import { TEXT } from "../words/frame.ts";
import { ACTIONS } from "../words/job.ts";
import { Button } from "./fluent.ts";
import { Fault, Loading, Unknown } from "./notices.tsx";
import { Instant, useNow } from "./zone.tsx";

interface BulkButtonsProps {
  readonly target: BulkTarget;
  readonly actions: readonly BulkRun["action"][];
  /** What stands on an action's button. */
  readonly words: (action: string) => string;
  /** On one line, where what an action does is known from its preview. */
  readonly isCompact?: boolean;
}

export function BulkButtons({ target, actions, words, isCompact = false }: BulkButtonsProps) {
  const { data: session } = useSession();
  const [, navigate] = useLocation();
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<ApiFault>();
  const preview = async (action: BulkRun["action"]) => {
    setBusy(true);
    setFault(undefined);
    try {
      const found = await post<BulkPreview>("bulk", { action, target });
      keepPreview(found);
      navigate(`/bulk/${found.run.bulkId}`);
    } catch (cause) {
      setFault(cause instanceof ApiFault ? cause : new ApiFault("failed", 0, String(cause)));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <ul className={isCompact ? "choices compact" : "choices"}>
        {actions.map((action) => (
          <li key={action}>
            <Button
              disabled={isBusy || !session?.mayOperate}
              size={isCompact ? "small" : "medium"}
              aria-describedby={`about-${action}`}
              onClick={() => void preview(action)}
            >
              {words(ACTIONS[action].name)}
            </Button>
            <span id={`about-${action}`} className="quiet">
              {ACTIONS[action].about}
            </span>
          </li>
        ))}
      </ul>
      {isBusy && <Loading />}
      {fault && <Fault cause={fault} />}
    </>
  );
}

/** A run that stopped by itself is shown for this time: its operator may not have seen it. */
const STOPPED_SHOWN_MS = 3_600_000;

const hasJustStopped = ({ state, updatedAt }: BulkRun, now: number) =>
  state === "stopped" && now - Date.parse(updatedAt) < STOPPED_SHOWN_MS;
const isQuiet = ({ state, updatedAt, progressAt = updatedAt }: BulkRun, now: number) =>
  state === "running" && now - Date.parse(progressAt) >= QUIET_MS;

/** It has stopped by itself a short while ago, or should go on and does not. */
export const needsPerson = (run: BulkRun, now: number): boolean => hasJustStopped(run, now) || isQuiet(run, now);

export function BulkUnderWay() {
  const { data, error } = useBulkList();
  const now = useNow(TICK_MS);
  const unknown = error && <Unknown words={TEXT.unknown(BULK.runs)} cause={error} />;
  if (!data || data.runs.length === 0) return unknown;
  const isShown = (run: BulkRun) => run.state === "running" || run.state === "paused" || hasJustStopped(run, now);
  return (
    <>
      {unknown}
      {data.runs.filter(isShown).map((run) => (
        <p key={run.bulkId} className="cause-box">
          <Link href={`/bulk/${run.bulkId}`}>{BULK.summary(ACTIONS[run.action].name, run.total)}</Link>{" "}
          <BulkState run={run} />
        </p>
      ))}
      <p>
        <Link href="/bulk">{BULK.runs}</Link>
      </p>
    </>
  );
}

const TICK_MS = 10_000;
/** A turn is saved more often. Then the app starts the turns again. */
const QUIET_MS = 60_000;

/** The state of a run, and since when nothing happens in one that should run. */
export function BulkState({ run }: { readonly run: BulkRun }) {
  const { state, stopped, updatedAt, progressAt = updatedAt } = run;
  const now = useNow(TICK_MS);
  if (state === "stopped" && stopped !== null) return <span className="fault">{BULK.stoppedShort(stopped)}</span>;
  if (!isQuiet(run, now)) return BULK.states[state];
  return (
    <span className="fault">
      {BULK.states[state]}, {BULK.noProgress} <Instant at={progressAt} />
    </span>
  );
}
