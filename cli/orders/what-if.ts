// What a sweep would decide under other rules, for the terminal: nothing is done.
import type { WhatIf } from "@scheduler-agent-supervisor/operator/internal/messaging/console-contract";
import { words } from "../../shared/words.ts";
import { type App, queryOf } from "./app.ts";
import { printTable } from "./table.ts";
import { countedOrders, say, sayJson, withTimes } from "./text.ts";

export async function showWhatIf(
  app: App,
  rules: { readonly [name: string]: string | undefined },
  asJson: boolean,
): Promise<void> {
  const found = await app.get<WhatIf>(`supervisor/what-if${queryOf(rules)}`);
  if (asJson) return sayJson(found);
  if (!found.finished) say("There are more: the time ended before all were seen.");
  const verdicts = Object.entries(found.verdicts).map(([verdict, count]) => `${count} ${verdict}`);
  say(
    `${countedOrders(found.found)} ${found.found === 1 ? "is" : "are"} due, ${found.different} would be decided otherwise than now.`,
  );
  if (verdicts.length > 0) say(verdicts.join(", "));
  printTable(
    [words.one, "then", "now", "why"],
    found.prospects.map(({ jobId, verdict, today, rule }) => [jobId, verdict, today, withTimes(rule)]),
  );
  if (found.prospects.length < found.found)
    say(
      `These are ${found.prospects.length} of ${found.found}, the longest overdue. All: npm run orders -- find --state Processing, or Pending`,
    );
}
