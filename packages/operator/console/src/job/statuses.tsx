// Which statuses the job's requester has been sent, and which it is still owed.
import type { Inspection } from "../api/contract.ts";
import { Instant } from "../parts/zone.tsx";
import { JOB } from "../words/job.ts";

type Status = Inspection["statuses"][number];

interface StatusesProps {
  readonly statuses: readonly Status[];
  readonly replyTo: string | null;
}

const SIGNS: { readonly [delivery in Status["delivery"]]: string } = { sent: "✓", owed: "◔", unwanted: "–" };

export function Statuses({ statuses, replyTo }: StatusesProps) {
  const owed = statuses.filter(({ delivery }) => delivery === "owed").length;
  return (
    <>
      <p className={owed > 0 ? undefined : "quiet"}>
        {replyTo === null ? JOB.nobodyAsked : JOB.statusesTo(replyTo, owed)}
      </p>
      {replyTo !== null && (
        <ol className="statuses">
          {statuses.map(({ status, attempt, at, step, delivery }) => (
            <li key={`${status} ${attempt} ${step ?? ""}`}>
              <Instant at={at} />{" "}
              <span>
                {status}
                {step && `, ${step}`}
                {attempt > 1 && `, ${JOB.inAttempt(attempt)}`}
              </span>{" "}
              <span className={delivery === "owed" ? "fault" : "quiet"}>
                <span aria-hidden="true">{SIGNS[delivery]}</span> {JOB.deliveries[delivery]}
              </span>
            </li>
          ))}
        </ol>
      )}
    </>
  );
}
