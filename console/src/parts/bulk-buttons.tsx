// What can be done with many jobs, each with what it does: it begins with a preview, which changes nothing. And what is under way already.
import { Button } from "@fluentui/react-components";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { ApiFault, post } from "../api/client.ts";
import type { BulkPreview, BulkRun, BulkTarget } from "../api/contract.ts";
import { keepPreview, useBulkList, useSession } from "../api/queries.ts";
import { BULK } from "../words/bulk.ts";
import { ACTIONS } from "../words/job.ts";
import { Fault, Loading } from "./notices.tsx";

interface BulkButtonsProps {
  readonly target: BulkTarget;
  readonly actions: readonly BulkRun["action"][];
  /** What stands on an action's button. */
  readonly words: (action: string) => string;
}

export function BulkButtons({ target, actions, words }: BulkButtonsProps) {
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
      <ul className="choices">
        {actions.map((action) => (
          <li key={action}>
            <Button
              disabled={isBusy || !session?.mayOperate}
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

export function BulkUnderWay() {
  const { data } = useBulkList();
  const underWay = data?.runs.filter(({ state }) => state === "running" || state === "paused") ?? [];
  return underWay.map(({ bulkId, action, total, state }) => (
    <p key={bulkId} className="cause-box">
      <Link href={`/bulk/${bulkId}`}>{BULK.summary(ACTIONS[action].name, total)}</Link> {BULK.states[state]}
    </p>
  ));
}
