// Which supervisor leads, and the audit log: what supervisors decided and operators did in a time, over all jobs.

import { gaugesTroubles } from "@scheduler-agent-supervisor/operator/domain";
import type { FormEvent } from "react";
import { Link, useSearchParams } from "wouter";
import type { Supervisor } from "../api/contract.ts";
import { query, useAuditLog, useSupervisor } from "../api/queries.ts";
import { AuditEntries } from "../parts/audit-entries.tsx";
import { Button } from "../parts/fluent.ts";
import { FromTo } from "../parts/from-to.tsx";
import { instantOf } from "../parts/local-time.ts";
import { Loaded, Notice } from "../parts/notices.tsx";
import { Instant, Said, useZone } from "../parts/zone.tsx";
import { TEXT } from "../words/frame.ts";
import { OVERVIEW } from "../words/overview.ts";
import { SUPERVISION } from "../words/supervision.ts";

export function SupervisionView() {
  const supervisor = useSupervisor();
  return (
    <>
      <h1>{TEXT.supervision}</h1>
      <Loaded query={supervisor} hidesAge>
        {({ leader, gauges }) => (
          <>
            <Leader leader={leader} />
            {gaugesTroubles(gauges).map(({ since, words }) => (
              <Notice key={words} title={words} kind="bad">
                {since && (
                  <p>
                    {OVERVIEW.begun} <Instant at={since} />
                  </p>
                )}
              </Notice>
            ))}
          </>
        )}
      </Loaded>
      <AuditLog />
    </>
  );
}

function Leader({ leader }: Pick<Supervisor, "leader">) {
  if (!leader) return <Notice title={SUPERVISION.nobody} kind="bad" />;
  const { name, epoch, since, leads, blocked, failing } = leader;
  const isWell = leads && !failing;
  return (
    <Notice title={`${leads ? SUPERVISION.leader : SUPERVISION.lastLeader}: ${name}`} kind={isWell ? "good" : "bad"}>
      <p>
        {SUPERVISION.epoch(epoch)}
        {since && (
          <>
            , {SUPERVISION.since} <Instant at={since} />
          </>
        )}
      </p>
      {!leads && <p>{blocked ? OVERVIEW.noSupervisor(blocked) : SUPERVISION.free}</p>}
      {leads && failing && (
        <p>
          <Said text={OVERVIEW.sweepsFail(failing.fault)} />, {SUPERVISION.since} <Instant at={failing.since} />
        </p>
      )}
    </Notice>
  );
}

function AuditLog() {
  const [parameters, setParameters] = useSearchParams();
  const { zone } = useZone();
  const period = { from: parameters.get("from") ?? "", to: parameters.get("to") ?? "" };
  const auditLog = useAuditLog(period);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const given = ["from", "to"].map((name) => [name, instantOf(String(form.get(name) ?? ""), zone)]);
    setParameters(Object.fromEntries(given.filter(([, at]) => at !== "")));
  };
  return (
    <section>
      <p className="quiet">{SUPERVISION.log}</p>
      <form key={parameters.toString()} className="filters" onSubmit={submit}>
        <FromTo words={SUPERVISION} given={period} />
        <Button type="submit" appearance="primary">
          {SUPERVISION.show}
        </Button>
      </form>
      <Loaded query={auditLog}>
        {({ pages: [first, ...others] }) => {
          const entries = [first, ...others].flatMap((page) => page?.entries ?? []);
          return (
            <>
              {entries.length === 0 ? (
                <Notice title={SUPERVISION.nothing} />
              ) : (
                <AuditEntries caption={SUPERVISION.entries} entries={entries} />
              )}
              {auditLog.hasNextPage ? (
                <Button disabled={auditLog.isFetchingNextPage} onClick={() => void auditLog.fetchNextPage()}>
                  {TEXT.more}
                </Button>
              ) : (
                <p>
                  <Link href={`/supervision${query({ to: first?.from })}`}>{SUPERVISION.earlier}</Link>
                </p>
              )}
            </>
          );
        }}
      </Loaded>
    </section>
  );
}
