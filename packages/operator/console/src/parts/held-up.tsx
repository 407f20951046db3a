// The jobs that are held up: by which agent and cause, since when, until when; those of one cause, and what can be done with them.

import { useState } from "react";
import { Link, useLocation } from "wouter";
import { ApiFault, post } from "../api/client.ts";
import type { BulkPreview, HeldUp, HeldUpPage, Wait } from "../api/contract.ts";
import { heldUpIds, keepPreview, useHeldUp, useHeldUpPage, useSession } from "../api/queries.ts";
import { ATTENTION } from "../words/attention.ts";
import { TEXT } from "../words/frame.ts";
import { HELD_UP } from "../words/held-up.ts";
import { Button } from "./fluent.ts";
import { Fault, Loaded, Loading, Notice, Section } from "./notices.tsx";
import { Pausable } from "./pausable.tsx";
import { type Column, Table } from "./table.tsx";
import { WaitWords } from "./wait-words.tsx";
import { Age, Instant, Said } from "./zone.tsx";

type Group = HeldUp["groups"][number];

export function HeldUpSection() {
  const heldUp = useHeldUp();
  return (
    <Section id="held-up" title={HELD_UP.title} query={heldUp}>
      {({ groups, isAll }) =>
        groups.length === 0 && isAll ? null : (
          <>
            {!isAll && (
              <p>
                {HELD_UP.more} <Link href="/search?state=Pending">{ATTENTION.seeAll}</Link>
              </p>
            )}
            <ul className="groups">
              {groups.map((group) => (
                <li key={group.id}>
                  <HeldUpGroup group={group} isAll={isAll} />
                </li>
              ))}
            </ul>
          </>
        )
      }
    </Section>
  );
}

function HeldUpGroup({
  group: { id, wait, causes, steps, trouble, count },
  isAll,
  heading: Heading = "h3",
}: {
  readonly group: Group;
  readonly isAll: boolean;
  /** `h2` where it stands on a page of its own. */
  readonly heading?: "h2" | "h3";
}) {
  return (
    <article className="group">
      <span className="count">{TEXT.capped(count, isAll)}</span>
      <div className="cause">
        <Heading>
          <Link href={`/?held=${id}`}>
            <Said text={HELD_UP.name(wait)} />
          </Link>
        </Heading>
        <p className="quiet">{[HELD_UP.reason(wait.reason, trouble), steps.join(", ")].filter(Boolean).join(" · ")}</p>
        {causes.length > 1 && (
          <p className="quiet">
            <Said text={HELD_UP.also(causes.slice(1))} />
          </p>
        )}
        <p className="quiet">
          {HELD_UP.since} <Instant at={wait.since} /> (<Age at={wait.since} />)
          {isRetried(wait) &&
            (wait.until ? (
              <>
                , {HELD_UP.next} <Instant at={wait.until} />
              </>
            ) : (
              `, ${HELD_UP.now}`
            ))}
        </p>
      </div>
    </article>
  );
}

/** Its jobs wait for their next attempt, and can continue before. */
const isRetried = ({ reason }: Wait) => ["code", "configuration", "answer", "retry"].includes(reason);

const COLUMNS: readonly Column<HeldUpPage["jobs"][number]>[] = [
  {
    get name() {
      return ATTENTION.job;
    },
    cell: ({ jobId }) => <Link href={`/jobs/${jobId}`}>{jobId}</Link>,
  },
  { name: HELD_UP.wait, cell: ({ wait }) => <WaitWords wait={wait} /> },
  { name: ATTENTION.where, cell: ({ workflow, wait }) => [wait.step, workflow.name].filter(Boolean).join(" · ") },
];

/** The jobs of one cause. */
export function HeldUpJobs({ id }: { readonly id: string }) {
  const heldUp = useHeldUp();
  const jobs = useHeldUpPage(id);
  return (
    <>
      <p className="back">
        <Link href="/">{HELD_UP.all}</Link>
      </p>
      <Loaded query={heldUp}>
        {({ groups, isAll }) => {
          const group = groups.find((one) => one.id === id);
          if (!group) return <Notice title={HELD_UP.nobody} />;
          return (
            <>
              <HeldUpGroup group={group} isAll={isAll} heading="h2" />
              <Remedies group={group} isAll={isAll} />
              <Loaded query={jobs} hidesAge>
                {({ pages }) => (
                  <Table
                    caption={HELD_UP.jobs}
                    columns={COLUMNS}
                    rows={pages.flatMap((page) => page.jobs)}
                    keyOf={({ jobId, wait }) => `${jobId} ${wait.step} ${wait.direction}`}
                  />
                )}
              </Loaded>
              {jobs.hasNextPage && (
                <Button disabled={jobs.isFetchingNextPage} onClick={() => void jobs.fetchNextPage()}>
                  {TEXT.more}
                </Button>
              )}
            </>
          );
        }}
      </Loaded>
    </>
  );
}

function Remedies({ group, isAll }: { readonly group: Group; readonly isAll: boolean }) {
  const { data: session } = useSession();
  const { agent } = group.wait;
  const pause = session?.pauses?.find(({ kind, name }) => kind === "agent" && name === agent);
  return (
    <>
      {group.retried > 0 && <ContinueNow group={group} isAll={isAll} mayOperate={session?.mayOperate ?? false} />}
      {agent !== null && <Pausable kind="agent" name={agent} pause={pause} />}
    </>
  );
}

interface ContinueProps {
  readonly group: Group;
  readonly isAll: boolean;
  readonly mayOperate: boolean;
}

function ContinueNow({ group: { id, retried }, isAll, mayOperate }: ContinueProps) {
  const [, navigate] = useLocation();
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<ApiFault>();
  const preview = async () => {
    setBusy(true);
    setFault(undefined);
    try {
      const target = { jobIds: await heldUpIds(id) };
      const found = await post<BulkPreview>("bulk", { action: "resubmit", target });
      keepPreview(found);
      navigate(`/bulk/${found.run.bulkId}`);
    } catch (cause) {
      setFault(cause instanceof ApiFault ? cause : new ApiFault("failed", 0, String(cause)));
      setBusy(false);
    }
  };
  return (
    <>
      <ul className="choices">
        <li>
          <Button disabled={isBusy || !mayOperate} aria-describedby="about-continue" onClick={() => void preview()}>
            {HELD_UP.continueNow(TEXT.capped(retried, isAll))}
          </Button>
          <span id="about-continue" className="quiet">
            {HELD_UP.continueAbout}
          </span>
        </li>
      </ul>
      {isBusy && <Loading />}
      {fault && <Fault cause={fault} />}
    </>
  );
}
