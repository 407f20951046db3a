// What operators did and supervisors decided in a time, over all orders, for the terminal.
import type { ShiftLog } from "@scheduler-agent-supervisor/operator/internal/messaging/console-contract";
import { type App, queryOf } from "./app.ts";
import { printTable } from "./table.ts";
import { say, sayBeside, sayEach, timeText, withTimes } from "./text.ts";

type Filter = { readonly [name: string]: string | undefined };

export async function showShiftLog(app: App, filter: Filter, asJson: boolean): Promise<void> {
  const { entries, isAll, from } = await app.get<ShiftLog>(`shift-log${queryOf(filter)}`);
  const more = () => {
    if (!isAll) sayBeside(`There is more before: npm run orders -- shift-log --to ${from}`, asJson);
  };
  if (asJson) {
    sayEach(entries);
    return more();
  }
  if (entries.length === 0) say(isAll ? "Nothing was done in this time." : `Nothing was done since ${timeText(from)}.`);
  printTable(
    ["at", "who", "what", "about", "why"],
    entries.map((entry) => {
      const { at, count, jobIds } = entry;
      const often = count === 1 ? "" : `${count} x `;
      const rest = count > jobIds.length && jobIds.length > 0 ? [`and ${count - jobIds.length} more`] : [];
      const about = [...jobIds, ...rest].join(" ");
      if (entry.kind === "decisions")
        return [timeText(at), "supervisor", `${often}${entry.verdict}`, about, withTimes(entry.cause)];
      const { operator, action, message, reason, outcome } = entry;
      const why = [reason, outcome === "done" ? "" : withTimes(outcome)].filter(Boolean).join("; ");
      return [timeText(at), operator, `${often}${action}`, message ?? about, why];
    }),
  );
  more();
}
