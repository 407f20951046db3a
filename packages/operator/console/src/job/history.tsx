// What has happened to a job, the newest first: a page at a time, for a job may have a great many entries.

import { isFailure } from "@scheduler-agent-supervisor/operator/domain";
import { useState } from "react";
import type { JobRecord } from "../api/contract.ts";
import { Button } from "../parts/fluent.ts";
import { Instant, Said } from "../parts/zone.tsx";
import { TEXT } from "../words/frame.ts";
import { JOB } from "../words/job.ts";

const PAGE = 50;

interface HistoryProps {
  readonly history: JobRecord["history"];
  readonly failedOnly: boolean;
}

export function History({ history, failedOnly }: HistoryProps) {
  const [shown, setShown] = useState(PAGE);
  const wanted = failedOnly ? history.filter(isFailure) : history;
  const newestFirst = wanted.slice(-shown).reverse();
  return (
    <>
      {wanted.length === 0 && <p className="quiet">{JOB.nothingFailed}</p>}
      <ol className="history" reversed start={wanted.length}>
        {newestFirst.map(({ at, what, by }, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an entry is distinguished from others by its number alone, and that never changes.
          <li key={`${wanted.length - place} ${at}`}>
            <Instant at={at} />{" "}
            <span>
              <Said text={what} />
            </span>{" "}
            <span className="quiet" title={by}>
              {JOB.by(by)}
            </span>
          </li>
        ))}
      </ol>
      {wanted.length > shown && (
        <p>
          <Button onClick={() => setShown(shown + PAGE)}>{TEXT.more}</Button>{" "}
          <span className="quiet">{JOB.shownOf(newestFirst.length, wanted.length)}</span>
        </p>
      )}
    </>
  );
}
