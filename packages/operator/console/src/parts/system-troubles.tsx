// What is wrong with the app itself, whether a job shows it yet or not: no supervisor is active, an endpoint gets no calls or is slow, messages wait in
// their queues.
import {
  gaugesTroubles,
  longWaits,
  needsPerson,
  agentTroubles as troublesOfAgents,
  unreadQueues,
} from "@scheduler-agent-supervisor/operator/domain";
import { Link } from "wouter";
import type { AgentHealth, BulkList, Reports, Supervisor, WaitingMessages } from "../api/contract.ts";
import { useAgentHealth, useHeldUp, useReports, useSupervisor, useWaitingMessages } from "../api/queries.ts";
import { BULK } from "../words/bulk.ts";
import { TEXT } from "../words/frame.ts";
import { ACTIONS } from "../words/job.ts";
import { OVERVIEW } from "../words/overview.ts";
import { Section } from "./notices.tsx";
import { ReportList } from "./reported.tsx";
import { Age, Instant } from "./zone.tsx";

export interface Trouble {
  /** Null if it is not known. */
  readonly since: string | null;
  readonly words: string;
  readonly href: string;
}

/** Of the supervisor, and of who measures what alerts depend on. */
export function supervisorTroubles({ leader, gauges }: Supervisor): Trouble[] {
  const href = "/supervision";
  const ofGauges = gaugesTroubles(gauges).map((trouble) => ({ ...trouble, href }));
  if (!leader?.leads) {
    return [{ since: null, words: OVERVIEW.noSupervisor(leader?.blocked), href }, ...ofGauges];
  }
  const { failing } = leader;
  return [...(failing ? [{ since: failing.since, words: OVERVIEW.sweepsFail(failing.fault), href }] : []), ...ofGauges];
}

/** @param isNamed whether the agent is named elsewhere, with the jobs that it holds up */
export function shownAgentTroubles(health: AgentHealth, isNamed: (agent: string) => boolean = () => false): Trouble[] {
  return troublesOfAgents(health)
    .filter(({ agent }) => !isNamed(agent))
    .map(({ agent, kind, endpoint: { since, lastError } }) => ({
      since: since ?? null,
      words: kind === "slow" ? OVERVIEW.slowAgent(agent) : OVERVIEW.brokenAgent(agent, lastError),
      href: "/agents",
    }));
}

export function messageTroubles(waiting: WaitingMessages): Trouble[] {
  const href = "/overview";
  return [
    ...longWaits(waiting).map(({ since, words }) => ({ since, words, href })),
    ...unreadQueues(waiting).map((words) => ({ since: null, words, href })),
  ];
}

/** What the app says of itself that no job shows. */
export const reportTroubles = ({ reports }: Reports): Trouble[] =>
  reports.map(({ since, words, jobId }) => ({ since, words, href: jobId === undefined ? "/" : `/jobs/${jobId}` }));

/** Actions on many jobs that are paused, have stopped by themselves, or should go on and do not. */
export function runTroubles({ runs }: BulkList, now: number): Trouble[] {
  return runs
    .filter((run) => needsPerson(run, now))
    .map(({ bulkId, action, total, state, updatedAt, progressAt = updatedAt }) => ({
      since: progressAt,
      words: BULK.trouble(BULK.summary(ACTIONS[action].name, total), state),
      href: `/bulk/${bulkId}`,
    }));
}

/** Each part of the first view has a place only if it is not well, or not known. */
export function SystemTroubles() {
  const holdingUp = new Set((useHeldUp().data?.groups ?? []).map(({ wait }) => wait.agent));
  return (
    <>
      <Section id="queues" title={OVERVIEW.waiting} query={useWaitingMessages()}>
        {(data) => listOf(messageTroubles(data))}
      </Section>
      <Section id="reports" title={OVERVIEW.reports} query={useReports()}>
        {(data) => (data.reports.length === 0 ? null : <ReportList reports={data} />)}
      </Section>
      <Section id="supervisor" title={TEXT.supervision} query={useSupervisor()}>
        {(data) => listOf(supervisorTroubles(data))}
      </Section>
      <Section id="endpoints" title={TEXT.agents} query={useAgentHealth()}>
        {(data) => listOf(shownAgentTroubles(data, (agent) => holdingUp.has(agent)))}
      </Section>
    </>
  );
}

function listOf(troubles: readonly Trouble[]) {
  if (troubles.length === 0) return null;
  return (
    <ul className="groups">
      {troubles.map(({ since, words, href }) => (
        <li key={words}>
          <article className="group">
            <div className="cause">
              <h3>
                <Link href={href}>{words}</Link>
              </h3>
              {since && (
                <p className="quiet">
                  {OVERVIEW.begun} <Instant at={since} /> (<Age at={since} />)
                </p>
              )}
            </div>
          </article>
        </li>
      ))}
    </ul>
  );
}
