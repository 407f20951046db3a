// What supervisors decided about a job and operators did, from the audit log: asked for when somebody wants to see it.

import { useState } from "react";
import { useJobAudit } from "../api/queries.ts";
import { AuditEntries } from "../parts/audit-entries.tsx";
import { Button } from "../parts/fluent.ts";
import { Loaded } from "../parts/notices.tsx";
import { TEXT } from "../words/frame.ts";
import { AUDIT } from "../words/job.ts";

export function Audit({ jobId }: { readonly jobId: string }) {
  const [isWanted, want] = useState(false);
  return isWanted ? <Entries jobId={jobId} /> : <Button onClick={() => want(true)}>{AUDIT.show}</Button>;
}

function Entries({ jobId }: { readonly jobId: string }) {
  const audit = useJobAudit(jobId);
  return (
    <Loaded query={audit}>
      {({ pages }) => {
        const entries = pages.flatMap((page) => page.entries);
        const lateReplies = pages.flatMap((page) => page.lateReplies);
        return (
          <>
            {entries.length === 0 ? (
              <p>{AUDIT.nothing}</p>
            ) : (
              <AuditEntries
                caption={audit.hasNextPage ? AUDIT.latest(entries.length) : AUDIT.all}
                entries={entries}
                isOfOneJob
              />
            )}
            {audit.hasNextPage && (
              <Button disabled={audit.isFetchingNextPage} onClick={() => void audit.fetchNextPage()}>
                {TEXT.more}
              </Button>
            )}
            {lateReplies.length > 0 && <AuditEntries caption={AUDIT.lateReplies} entries={lateReplies} isOfOneJob />}
          </>
        );
      }}
    </Loaded>
  );
}
