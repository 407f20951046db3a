// The words of the search and its export.
export const SEARCH = {
  text: "Order id or correlation id",
  state: "State",
  kind: "Cause",
  workflow: "Workflow",
  step: "Step",
  any: "Any",
  find: "Find",
  nothing: "No order matches",
  nothingAbout: "Try fewer filters.",
  slow: "Without a state this looks through all orders and may take long.",
  created: "Received",
  updated: "Last change",
  export: "Export",
  exportAs: { csv: "Export as CSV", jsonl: "Export as JSON lines" },
  exporting: (count: number) => `${count.toLocaleString("en")} orders read so far`,
  stopExport: "Stop the export",
  exportStopped: "Export stopped: no file was written.",
  exported: (count: number) => `Exported ${count.toLocaleString("en")} orders.`,
  exportedSome: (limit: number) =>
    `Exported the newest ${limit.toLocaleString("en")} orders. There are more: add a filter.`,
  found: (count: number, isAll: boolean) => `${count.toLocaleString("en")}${isAll ? "" : "+"} orders`,
} as const;
