// What can be done with many jobs, each with what it does: it begins with a preview, which changes nothing. And what is under way already.
import { isOpen, isQuiet } from "@scheduler-agent-supervisor/operator/domain";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { ApiFault, post } from "../api/client.ts";
import type { BulkPreview, BulkRun, BulkSelection } from "../api/contract.ts";
import { keepPreview, useOpenBulk, useSession } from "../api/queries.ts";
import { BULK } from "../words/bulk.ts";
import { TEXT } from "../words/frame.ts";
import { ACTIONS } from "../words/job.ts";
import { Button } from "./fluent.ts";
import { Fault, Loading, Unknown } from "./notices.tsx";
import { Instant, useNow } from "./zone.tsx";

interface BulkButtonsProps {
  readonly target: BulkSelection;
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

const TICK_MS = 10_000;

export function BulkUnderWay() {
  const { data, error } = useOpenBulk();
  const now = useNow(TICK_MS);
  return (
    <>
      {error && <Unknown words={TEXT.unknown(BULK.runs)} cause={error} />}
      {data?.runs
        .filter((run) => isOpen(run, now))
        .map((run) => (
          <p key={run.bulkId} className="cause-box">
            <Link href={`/bulk/${run.bulkId}`}>{BULK.summary(ACTIONS[run.action].name, run.total)}</Link>{" "}
            <BulkStateText run={run} />
          </p>
        ))}
      <p>
        <Link href="/bulk">{BULK.runs}</Link>
      </p>
    </>
  );
}

/** The state of a run, and since when nothing happens in one that should run. */
export function BulkStateText({ run }: { readonly run: BulkRun }) {
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
