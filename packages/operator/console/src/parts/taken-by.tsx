// Who handles a job: in the lists, and on the job's own view with the button that takes or releases it.

import { useState } from "react";
import { ApiFault, post } from "../api/client.ts";
import type { TakeAnswer } from "../api/contract.ts";
import { useRefresh, useSession, useTaken } from "../api/queries.ts";
import { TAKEN } from "../words/attention.ts";
import { Button } from "./fluent.ts";
import { Fault, Progress, Unknown } from "./notices.tsx";
import { Age } from "./zone.tsx";

interface OfJobProps {
  readonly jobId: string;
}

/** Once in a view whose rows say who handles them: without an answer nobody seems to. */
export function TakenUnknown() {
  const { error, refetch } = useTaken();
  return error && <Unknown words={TAKEN.unknown} cause={error} retry={() => void refetch()} />;
}

function useTakenJob(jobId: string) {
  return useTaken().data?.taken.find((one) => one.jobId === jobId);
}

export function TakenBy({ jobId }: OfJobProps) {
  const taken = useTakenJob(jobId);
  return (
    taken && (
      <p className="quiet">
        {TAKEN.by(taken.takenBy)} <Age at={taken.at} />
      </p>
    )
  );
}

export function Take({ jobId }: OfJobProps) {
  const { data, error } = useTaken();
  const { data: session } = useSession();
  const taken = useTakenJob(jobId);
  const refresh = useRefresh();
  const [fault, setFault] = useState<ApiFault>();
  const [isBusy, setBusy] = useState(false);
  const change = async () => {
    setBusy(true);
    setFault(undefined);
    try {
      await post<TakeAnswer>(`jobs/${encodeURIComponent(jobId)}/take`, { taken: !taken });
    } catch (cause) {
      setFault(cause instanceof ApiFault ? cause : new ApiFault("failed", 0, String(cause)));
    } finally {
      await refresh();
      setBusy(false);
    }
  };
  if (!data && !error) return null;
  return (
    <section className="actions" aria-label={TAKEN.title}>
      <TakenUnknown />
      <TakenBy jobId={jobId} />
      {fault && <Fault cause={fault} />}
      {data && (
        <div className="buttons">
          <Button disabled={isBusy || !session?.mayOperate} onClick={() => void change()}>
            {taken ? TAKEN.release : TAKEN.take}
          </Button>
          <Progress isBusy={isBusy} />
        </div>
      )}
    </section>
  );
}
