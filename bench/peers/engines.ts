// Which engines are compared, and the rows that each has in the table.
export const ENGINES = ["ours", "restate", "dbos", "openworkflow"] as const;
export type EngineName = (typeof ENGINES)[number];
export type PeerName = Exclude<EngineName, "ours">;

/** One row of the table: an engine, and what a client learns of an order before its end. */
export interface Variant {
  readonly row: string;
  readonly engine: EngineName;
  /** Whether each of the five moments of an order is written where its client can read it, or only its end. */
  readonly statusWrites: boolean;
  /** Of `ours` alone: the SDK floor, or the app. */
  readonly kind?: "floor" | "app";
}

export const VARIANTS: readonly Variant[] = [
  { row: "SDK floor: our requests, no engine", engine: "ours", statusWrites: false, kind: "floor" },
  { row: "this app", engine: "ours", statusWrites: false, kind: "app" },
  { row: "this app, all statuses", engine: "ours", statusWrites: true, kind: "app" },
  { row: "Restate", engine: "restate", statusWrites: false },
  { row: "Restate, with status writes", engine: "restate", statusWrites: true },
  { row: "DBOS queue on PostgreSQL", engine: "dbos", statusWrites: false },
  { row: "DBOS queue, with status writes", engine: "dbos", statusWrites: true },
  { row: "openworkflow on SQLite", engine: "openworkflow", statusWrites: false },
  { row: "openworkflow, with status writes", engine: "openworkflow", statusWrites: true },
];

export const variantsOf = (engine: EngineName): Variant[] => VARIANTS.filter((each) => each.engine === engine);
