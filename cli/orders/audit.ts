// What supervisors decided and operators did, for the terminal: of one order, or of all in a time.
import type { AuditEntry, AuditPage, JobAudit, Supervisor } from "@scheduler-agent-supervisor/operator/contract";
import { type App, pathOf, queryOf } from "./app.ts";
import type { Further } from "./given.ts";
import { gaugesLines } from "./system.ts";
import { printTable } from "./table.ts";
import { say, sayEach, sayMore, timeText, withTimes } from "./text.ts";

const PAGE = 50;
const COLUMNS = ["at", "by", "what", "about", "why"];

export async function showAudit(app: App, orderId: string, further: Further, asJson: boolean): Promise<void> {
  const audit = await app.get<JobAudit>(pathOf("jobs", orderId, "audit") + queryOf({ ...further }));
  const { entries, continuation, lateReplies } = audit;
  const more = () => sayMore(`audit ${orderId}`, continuation, asJson);
  if (asJson) {
    sayEach([...entries, ...lateReplies]);
    return more();
  }
  if (entries.length === 0) say(`The audit log has no entry about ${orderId}.`);
  printTable(COLUMNS, entries.map(rowOf));
  more();
  if (lateReplies.length === 0) return;
  say("The latest replies that no step waited for any more:");
  printTable(COLUMNS, lateReplies.map(rowOf));
}

interface SupervisionAsked extends Further {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

export async function showSupervision(app: App, asked: SupervisionAsked, asJson: boolean): Promise<void> {
  const [{ leader, gauges }, page] = await Promise.all([
    app.get<Supervisor>("supervisor"),
    app.get<AuditPage>(`audit-log${queryOf({ ...asked, limit: PAGE })}`),
  ]);
  const more = () => sayMore(`supervision --from ${page.from} --to ${page.to}`, page.continuation, asJson);
  if (asJson) {
    sayEach(page.entries);
    return more();
  }
  if (!leader) say("There has been no supervisor yet.");
  else {
    const since = leader.since === null ? "" : ` since ${timeText(leader.since)}`;
    say(
      `${leader.leads ? "Active" : "No supervisor is active. The last one"}: ${leader.name}, epoch ${leader.epoch}${since}`,
    );
  }
  if (leader?.leads && leader.failing)
    say(`Its sweeps fail since ${timeText(leader.failing.since)}: ${withTimes(leader.failing.fault)}`);
  for (const { line } of gaugesLines(gauges)) say(line);
  if (page.entries.length === 0) say(`Nothing is recorded since ${timeText(page.from)}.`);
  printTable(COLUMNS, page.entries.map(rowOf));
  more();
  if (page.continuation === undefined) say(`Earlier: npm run orders -- supervision --to ${page.from}`);
}

function rowOf(entry: AuditEntry): string[] {
  const at = timeText(entry.at);
  switch (entry.kind) {
    case "sweep": {
      const report = Object.entries(entry.report).map(([name, value]) => `${name} ${value}`);
      return [at, "supervisor", "sweep", "", report.join(", ")];
    }
    case "lateReply":
      return [at, "", `late reply of ${entry.step}, attempt ${entry.attempt}`, entry.jobId, withTimes(entry.reason)];
    case "operatorAction": {
      const { operator, action, jobId, message, reason, outcome } = entry;
      const why = [reason, outcome === "done" ? "" : withTimes(outcome)].filter(Boolean).join("; ");
      return [at, operator, action, jobId ?? message ?? "", why];
    }
    case "decision": {
      const { verdict, outcome, jobId, rule, fault, stop } = entry;
      const why = withTimes([rule, stop?.message, fault].filter(Boolean).join("; "));
      return [at, "supervisor", outcome === "applied" ? verdict : `${verdict} (${outcome})`, jobId, why];
    }
    default:
      return entry satisfies never;
  }
}
