// Each process reports the health of its agents' endpoints, for operators: only after a change and at a limited rate, and nothing while there is
// nothing to report.

import { instant } from "../domain/duration.ts";
import type { AgentHealthStore, EndpointReport, InstanceReport } from "../store/agent-health-store.ts";

export interface HealthReports {
  /** An agent of this process, and the current health of its endpoints. */
  add(agent: string, endpoints: () => readonly EndpointReport[]): void;
  /** After a call or a change of an endpoint's health: looks begin, and end when nothing changes and everything is reported. */
  touch(): void;
}

export interface HealthReportOptions {
  readonly store: Pick<AgentHealthStore, "write">;
  /** The id of this process. */
  readonly instance: string;
  readonly now: () => number;
}

/** The time between two looks, and therefore between two writes. */
const LOOK_EVERY_MS = 5000;
/** Written again, so that the report does not expire while it is true. */
const AGAIN_AFTER_MS = 60_000;

export function createHealthReports({ store, instance, now }: HealthReportOptions): HealthReports {
  const agents = new Map<string, () => readonly EndpointReport[]>();
  /** Of the endpoints that are not well. */
  const since = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;
  let said = "";
  let saidAt = 0;
  let isLooking = false;

  /** A slow store does not get a second request in the meantime. */
  async function lookOnce(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    try {
      await look();
    } finally {
      isLooking = false;
    }
  }

  async function look(): Promise<void> {
    const at = instant(now());
    const current = Object.fromEntries(
      [...agents].map(([agent, endpoints]) => [agent, endpoints().map((one) => dated(agent, one, at))]),
    );
    const isCalm = Object.values(current).flat().every(isAtRest);
    const text = JSON.stringify(current);
    const isNew = text !== said && !(isCalm && said === "");
    if (isNew || (!isCalm && now() - saidAt >= AGAIN_AFTER_MS)) {
      const report: InstanceReport = { instance, at, agents: current };
      // If the store is unavailable, the next look writes it.
      const isWritten = await store.write(report).then(
        () => true,
        () => false,
      );
      if (!isWritten) return;
      [said, saidAt] = [text, now()];
    }
    if (!isCalm || timer === undefined) return;
    clearInterval(timer);
    timer = undefined;
  }

  function dated(agent: string, report: EndpointReport, at: string): EndpointReport {
    const key = JSON.stringify([agent, report.endpoint]);
    if (isWell(report)) {
      since.delete(key);
      return report;
    }
    const begun = since.get(key) ?? at;
    since.set(key, begun);
    return { ...report, since: begun };
  }

  return {
    add: (agent, endpoints) => void agents.set(agent, endpoints),
    touch() {
      timer ??= setInterval(() => void lookOnce(), LOOK_EVERY_MS).unref();
    },
  };
}

const isWell = ({ health, isSlow }: EndpointReport): boolean => health === "healthy" && !isSlow;
const isAtRest = (report: EndpointReport): boolean => isWell(report) && report.inFlight === 0;
