// What can be done about a job now; what can't says why.

import { lazy, Suspense, useState } from "react";
import type { Inspection, JobAction } from "../api/contract.ts";
import { useSession } from "../api/queries.ts";
import { Button } from "../parts/fluent.ts";
import { Said } from "../parts/zone.tsx";
import { AWAITING } from "../words/awaiting.ts";
import { FAULTS } from "../words/frame.ts";
import { ACTIONS, JOB, OUTCOMES } from "../words/job.ts";
import { type Asked, awaitedSteps } from "./asked.ts";

const ActionDialog = lazy(async () => ({ default: (await import("./action-dialog.tsx")).ActionDialog }));

/** The order of the buttons: what goes on first, what ends last. */
const SHOWN: readonly JobAction[] = ["resubmit", "compensate", "markResolved", "cancel", "extend"];

const RESOLVED_FIRST: readonly JobAction[] = ["markResolved", "compensate", "resubmit", "cancel", "extend"];

export function Actions({ inspection }: { readonly inspection: Inspection }) {
  const { data: session } = useSession();
  const [asked, ask] = useState<Asked>();
  const [said, say] = useState("");
  const { actions } = inspection;
  const awaited = awaitedSteps(inspection);
  // What a person has compensated manually is resolved; to run it again is the exception.
  const [first, shown] =
    "requires" in actions.resubmit ? (["markResolved", RESOLVED_FIRST] as const) : (["resubmit", SHOWN] as const);
  const possible = shown.filter((action) => actions[action].allowed);
  const mayOperate = session?.mayOperate ?? false;
  const reasons = SHOWN.flatMap((action) => {
    const permission = actions[action];
    return permission.allowed ? [] : [{ action, reason: permission.reason }];
  });
  return (
    <section className="actions" aria-label={JOB.actions}>
      {session && !mayOperate && <p className="quiet">{FAULTS.forbidden.advice}</p>}
      <div className="buttons">
        {possible.map((action) => (
          <Button
            key={action}
            appearance={action === first ? "primary" : "secondary"}
            disabled={!mayOperate}
            onClick={() => ask(action)}
          >
            {ACTIONS[action].name}
          </Button>
        ))}
        {actions.resubmit.allowed && (
          <Button disabled={!mayOperate} onClick={() => ask("edit")}>
            {JOB.edit}
          </Button>
        )}
        {awaited.flatMap((step) =>
          (["done", "rejected"] as const).map((as) => (
            <Button key={`${step} ${as}`} disabled={!mayOperate} onClick={() => ask({ step, as })}>
              {AWAITING.report[as](step)}
            </Button>
          )),
        )}
        {inspection.unknownOutcomes.flatMap(({ step, direction }) =>
          (["done", "notDone"] as const).map((outcome) => (
            <Button
              key={`${direction} ${step} ${outcome}`}
              disabled={!mayOperate}
              onClick={() => ask({ step, direction, outcome })}
            >
              {OUTCOMES.name(step, direction, outcome)}
            </Button>
          )),
        )}
      </div>
      <p role="status" className="said">
        {said}
      </p>
      {reasons.length > 0 && (
        <details>
          <summary>{JOB.notPossible}</summary>
          <ul className="listed">
            {reasons.map(({ action, reason }) => (
              <li key={action}>
                <strong>{ACTIONS[action].name}</strong>: <Said text={reason} />
              </li>
            ))}
          </ul>
        </details>
      )}
      {asked && (
        <Suspense>
          <ActionDialog
            asked={asked}
            opened={inspection}
            environment={session?.environment ?? ""}
            close={() => ask(undefined)}
            done={(words) => {
              ask(undefined);
              say(words);
            }}
          />
        </Suspense>
      )}
    </section>
  );
}
