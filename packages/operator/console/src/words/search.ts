// The words of the search and its export.
import { countedJobs, say } from "./say.ts";

const WAITS = { person: "A report of a person or service", time: "The time of its next try" } as const;

export const SEARCH = {
  get text() {
    return say`{Job} id or correlation id`;
  },
  state: "State",
  kind: "Cause",
  workflow: "Workflow",
  step: "Step",
  any: "Any",
  waitsFor: "Waits for",
  anything: "Any",
  agent: "Agent",
  waits: WAITS,
  waitsForWords: (wait: string) =>
    `waits for ${(WAITS as { readonly [wait: string]: string })[wait]?.toLowerCase() ?? wait.replace(":", " ")}`,
  find: "Find",
  get nothing() {
    return say`No {job} matches`;
  },
  nothingAbout: "Try fewer filters.",
  /** @param lacks what would make it faster */
  slow: (lacks: readonly ("state" | "time")[]) =>
    say`This search reads the {jobs} one by one, the newest first, 1,000 at a time.` +
    (lacks.length === 0 ? "" : ` A ${lacks.join(" or a ")} makes it faster.`),
  looked: (count: number, since: string) => `Searched ${countedJobs(count)}: those received since ${since}.`,
  goOn: "Search further back",
  get nothingSoFar() {
    return say`No {job} matches so far`;
  },
  version: "Version",
  key: "Business key",
  keyExample: (name: string) => `${name}:…`,
  timeOf: "Time of",
  times: { received: "Received", sent: "Sent", changed: "Last change", ended: "Ended" },
  from: "From",
  to: "Before",
  created: "Received",
  updated: "Last change",
  export: "Export",
  exportAsCsv: "Export as CSV",
  exporting: (count: number) => `${countedJobs(count)} read so far`,
  stopExport: "Stop the export",
  exportStopped: "Export stopped: no file was written.",
  exported: (count: number) => `Exported ${countedJobs(count)}.`,
  exportedSome: (limit: number) =>
    say`Exported the newest ${limit.toLocaleString("en")} {jobs}. There are more: add a filter.`,
  /** @param total null if it is not known */
  found: (count: number, isAll: boolean, total: number | null, isMore = false) => {
    if (isAll || total === null || total <= count) return countedJobs(count, isAll);
    return `${count.toLocaleString("en")} of ${countedJobs(total, !isMore)}`;
  },
  rows: (from: number, to: number, of: number) =>
    `Rows ${from.toLocaleString("en")} to ${to.toLocaleString("en")} of ${of.toLocaleString("en")} loaded`,
  pages: "Pages",
  previous: "Previous rows",
  next: "Next rows",
  refresh: "Refresh",
  sortedLoaded: "Sorted among the rows that are loaded: there are more.",
} as const;
