// What is wrong with the app itself, for the terminal: no supervisor is active, an endpoint gets no calls or is slow, messages wait, something is paused.
import type { AgentHealth, Reports, Supervisor, WaitingMessages } from "@scheduler-agent-supervisor/operator/contract";
import {
  gaugesTroubles,
  longWaits,
  agentTroubles as troublesOfAgents,
  unreadQueues,
} from "@scheduler-agent-supervisor/operator/domain";
import { words } from "../../shared/words.ts";
import { type App, pathOf } from "./app.ts";
import { ago, say, timeText, withTimes } from "./text.ts";

/** A line for people, and what a script reads of it. */
export interface Trouble {
  readonly line: string;
  /** When it began; null if that is not known. */
  readonly since: string | null;
  readonly json: object;
}

export function agentTroubles(health: AgentHealth): Trouble[] {
  const wrong = troublesOfAgents(health).map(({ agent: name, kind, endpoint }) => {
    const { since, lastError } = endpoint;
    const what = kind === "slow" ? `${name} is slow` : `${name}: an endpoint gets no calls`;
    const begun = since === undefined ? "" : ` since ${timeText(since)}`;
    return {
      line: `${what}${begun}${lastError === null ? "" : `: ${withTimes(lastError)}`}`,
      since: since ?? null,
      json: { of: "agent", name, ...endpoint },
    };
  });
  const paused = health.pauses.map((pause) => ({
    line: `The ${pause.kind} ${pause.name} is paused by ${pause.by} ${ago(pause.at)}: ${pause.reason}`,
    since: pause.at,
    json: { of: "pause", ...pause },
  }));
  return [...wrong, ...paused];
}

export const gaugesLines = (gauges: Supervisor["gauges"]): Omit<Trouble, "json">[] =>
  gaugesTroubles(gauges).map(({ since, words }) => ({
    line: `${withTimes(words)}${since === null ? "" : `, since ${timeText(since)}`}. The function gauges: see its log`,
    since,
  }));

/** Of the supervisor, and of who measures what alerts depend on. */
export function supervisorTroubles({ leader, gauges }: Supervisor): Trouble[] {
  const json = { of: "supervisor", leader };
  const ofGauges = gaugesLines(gauges).map((trouble) => ({ ...trouble, json: { of: "gauges", ...gauges } }));
  const see = "npm run orders -- supervision";
  const why = leader?.blocked ? `${leader.blocked}. Overdue` : "overdue";
  const none = `No supervisor is active: ${why} ${words.many} are not continued. ${see}`;
  if (!leader?.leads) return [{ line: none, since: null, json }, ...ofGauges];
  const { failing } = leader;
  if (!failing) return ofGauges;
  const line = `The supervisor's sweeps fail since ${timeText(failing.since)}: ${withTimes(failing.fault)}. ${see}`;
  return [{ line, since: failing.since, json }, ...ofGauges];
}

/** What the app says of itself that no order shows. */
export const reportTroubles = ({ reports }: Reports): Trouble[] =>
  reports.map((report) => ({
    line: `${withTimes(report.words)}, since ${timeText(report.since)}${dismissal(report.id)}`,
    since: report.since,
    json: { of: "reports", ...report },
  }));

const dismissal = (id: string | undefined): string =>
  id === undefined ? "" : `. Once its cause is dealt with: npm run orders -- dismiss ${id} --reason "WHY"`;

export async function dismissReport(app: App, id: string, reason: string): Promise<void> {
  await app.post<Reports>(pathOf("reports", id, "dismiss"), { reason });
  say("Dismissed. It is back when it happens again.");
}

export function messageTroubles(waiting: WaitingMessages): Trouble[] {
  return [
    ...longWaits(waiting).map((wait) => ({
      line: `${wait.words} since ${timeText(wait.since)}`,
      since: wait.since,
      json: { of: "waitingMessages", ...wait },
    })),
    ...unreadQueues(waiting).map((line) => ({
      line,
      since: null,
      json: { of: "waitingMessages", words: line },
    })),
  ];
}
