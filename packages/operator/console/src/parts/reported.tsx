// What the app reports of itself that no job shows; an operator dismisses it once its cause is dealt with.
import { useState } from "react";
import { Link } from "wouter";
import { post } from "../api/client.ts";
import type { Reports } from "../api/contract.ts";
import { useSession } from "../api/queries.ts";
import { OVERVIEW } from "../words/overview.ts";
import { Button } from "./fluent.ts";
import { ReasonForm } from "./reason-form.tsx";
import { Age, Instant, Said } from "./zone.tsx";

type Report = Reports["reports"][number];

export function ReportList({ reports: { reports } }: { readonly reports: Reports }) {
  return (
    <ul className="groups">
      {reports.map((report) => (
        // Its words stay while it happens again.
        <li key={report.words}>
          <OneReport report={report} />
        </li>
      ))}
    </ul>
  );
}

function OneReport({ report: { words, since, id, jobId } }: { readonly report: Report }) {
  const { data: session } = useSession();
  const [isOpen, setOpen] = useState(false);
  return (
    <article className="report">
      <div className="pausable">
        <div>
          <h3>{jobId === undefined ? <Said text={words} /> : <Link href={`/jobs/${jobId}`}>{words}</Link>}</h3>
          <p className="quiet">
            {OVERVIEW.begun} <Instant at={since} /> (<Age at={since} />)
          </p>
        </div>
        {id !== undefined && (
          <Button
            aria-label={OVERVIEW.dismissOne(words)}
            disabled={!session?.mayOperate || isOpen}
            onClick={() => setOpen(true)}
          >
            {OVERVIEW.dismiss}
          </Button>
        )}
      </div>
      {isOpen && id !== undefined && (
        <ReasonForm
          confirm={OVERVIEW.dismissIn(session?.environment ?? "")}
          send={(reason) => post<Reports>(`reports/${id}/dismiss`, { reason })}
          close={() => setOpen(false)}
        >
          <p>{OVERVIEW.dismissing}</p>
        </ReasonForm>
      )}
    </article>
  );
}
