// Advice on the times of steps, from a sample of the last week's jobs: read when it is asked for.

import { useState } from "react";
import type { StepAdvice } from "../api/contract.ts";
import { useAdvice } from "../api/queries.ts";
import { ADVICE } from "../words/advice.ts";
import { Button } from "./fluent.ts";
import { Loaded } from "./notices.tsx";
import { type Column, Table } from "./table.tsx";

const COLUMNS: readonly Column<StepAdvice>[] = [
  { name: ADVICE.step, cell: ({ step }) => step },
  { name: ADVICE.work, cell: ({ work }) => work && ADVICE.times(work.p50Ms, work.p99Ms) },
  { name: ADVICE.start, cell: ({ start }) => start && ADVICE.times(start.p50Ms, start.p99Ms) },
  { name: ADVICE.timeouts, cell: ({ timeouts }) => timeouts },
  { name: ADVICE.current, cell: ({ current }) => ADVICE.limits(current.startWithin, current.completeWithin) },
  {
    name: ADVICE.proposed,
    cell: ({ proposed, because }) => (
      <>
        {proposed && ADVICE.limits(proposed.startWithin, proposed.completeWithin)}
        <p className="quiet">{because}</p>
      </>
    ),
  },
  {
    name: ADVICE.outlook,
    cell: ({ outlook: { proposed } }) =>
      proposed && ADVICE.wouldHave(proposed.jobs, proposed.timedOut, proposed.exhausted),
  },
];

export function Advice() {
  const [isOpen, setOpen] = useState(false);
  return (
    <section className="section" aria-labelledby="advice">
      <h2 id="advice">{ADVICE.title}</h2>
      <p>{ADVICE.about}</p>
      {isOpen ? <Steps /> : <Button onClick={() => setOpen(true)}>{ADVICE.show}</Button>}
    </section>
  );
}

function Steps() {
  const advice = useAdvice();
  return (
    <Loaded query={advice}>
      {({ sampled, mostSampled, workflows }) => (
        <>
          <p>{ADVICE.sample(sampled, mostSampled)}</p>
          {workflows.map(({ name, version, jobs, steps }) => (
            <Table
              key={name}
              caption={ADVICE.of(name, version, jobs)}
              columns={COLUMNS}
              rows={steps}
              keyOf={({ step }) => step}
            />
          ))}
        </>
      )}
    </Loaded>
  );
}
