// Each process says how its agents' endpoints do, for operators: on change alone and at a bounded rate, and nothing where there is nothing to say.
import type { AgentHealthStore, EndpointReport, InstanceReport } from "../store/agent-health-store.ts";
import { instant } from "./ports.ts";

export interface HealthReports {
  /** An agent of this process, and how its endpoints do now. */
  add(agent: string, endpoints: () => readonly EndpointReport[]): void;
  /** Something is called, or an endpoint's health has changed: looks begin, and end when all is calm and said. */
  touch(): void;
}

export interface HealthReportOptions {
  readonly store: Pick<AgentHealthStore, "write">;
  /** Of this process. */
  readonly instance: string;
  readonly now: () => number;
  /** Between two looks, and so between two writes. */
  readonly lookEveryMs?: number;
}

const LOOK_EVERY_MS = 5000;
/** Said again, so that it does not go while it lasts. */
const AGAIN_AFTER_MS = 60_000;

export function createHealthReports({
  store,
  instance,
  now,
  lookEveryMs = LOOK_EVERY_MS,
}: HealthReportOptions): HealthReports {
  const agents = new Map<string, () => readonly EndpointReport[]>();
  let timer: NodeJS.Timeout | undefined;
  let said = "";
  let saidAt = 0;
  let isLooking = false;

  /** A store that is slow is not asked a second time meanwhile. */
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
    const current = Object.fromEntries([...agents].map(([agent, endpoints]) => [agent, endpoints()]));
    const isCalm = Object.values(current).flat().every(isAtRest);
    const text = JSON.stringify(current);
    const isNew = text !== said && !(isCalm && said === "");
    if (isNew || (!isCalm && now() - saidAt >= AGAIN_AFTER_MS)) {
      const report: InstanceReport = { instance, at: instant(now()), agents: current };
      // Where the store is away, the next look says it.
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

  return {
    add: (agent, endpoints) => void agents.set(agent, endpoints),
    touch() {
      timer ??= setInterval(() => void lookOnce(), lookEveryMs).unref();
    },
  };
}

const isAtRest = ({ health, inFlight, isSlow }: EndpointReport): boolean =>
  health === "healthy" && inFlight === 0 && !isSlow;
