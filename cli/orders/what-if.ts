// What a sweep would decide under other rules, for the terminal: nothing is done.
import type { WhatIf } from "@scheduler-agent-supervisor/operator/internal/messaging/console-contract";
import { type App, queryOf } from "./app.ts";
import { printTable } from "./table.ts";
import { say, sayJson, withTimes } from "./text.ts";

export async function showWhatIf(
  app: App,
  rules: { readonly [name: string]: string | undefined },
  asJson: boolean,
): Promise<void> {
  const found = await app.get<WhatIf>(`supervisor/what-if${queryOf(rules)}`);
  if (asJson) return sayJson(found);
  const verdicts = Object.entries(found.verdicts).map(([verdict, count]) => `${count} ${verdict}`);
  say(`${found.found} orders are due, ${found.different} would be decided otherwise than now.`);
  if (verdicts.length > 0) say(verdicts.join(", "));
  printTable(
    ["order", "then", "now", "why"],
    found.prospects.map(({ jobId, verdict, today, rule }) => [jobId, verdict, today, withTimes(rule)]),
  );
}
