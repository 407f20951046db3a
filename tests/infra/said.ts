// What the app's telemetry says: its events and metrics by the code, the rest by docs/reference/telemetry.md, which tests/telemetry and
// tests/stack/trace.test.ts compare with the app; and what a query asks for that nobody says.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { EVENTS, METRICS } from "@scheduler-agent-supervisor/core/telemetry";
import { attributesIn, namesIn, tablesIn } from "./kusto.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/reference/telemetry.md"), "utf8");
const section = (heading: string) => page.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";

/** Whatever the event, one that stands for others has their number. */
const ATTRIBUTES_OF_EVENTS = new Map(
  Object.entries(EVENTS).map(([name, [, , attributes]]) => [name, [...(attributes.match(/\w+/g) ?? []), "alike"]]),
);
const ATTRIBUTES_OF_METRICS = new Map(
  Object.entries(METRICS).map(([name, { attributes }]) => [name, attributes.match(/\w+/g) ?? []]),
);
/** The sentence that lists them ends with the outcome. */
const [, list = ""] =
  /^Attributes have the same names as in the events: (.*), and `outcome`/m.exec(section("Traces")) ?? [];
const ATTRIBUTES_OF_SPANS = [...(list.match(/\w+/g) ?? []), "outcome"];
/** What the host, or OpenTelemetry's conventions, put on requests and exceptions. */
const OF_FUNCTIONS = ["faas.name", "faas.invocation_id"];

/** Platform metrics that their reference says can be exported, and the meters of Flex Consumption. */
const METERS = [
  "TotalRequestUnits",
  "IncomingMessages",
  "OutgoingMessages",
  "IncomingRequests",
  "ThrottledRequests",
  "OnDemandFunctionExecutionUnits",
  "OnDemandFunctionExecutionCount",
  "AlwaysReadyFunctionExecutionUnits",
  "AlwaysReadyFunctionExecutionCount",
  "AlwaysReadyUnits",
];

const NAMES: { readonly [table: string]: readonly string[] } = {
  AppEvents: [...ATTRIBUTES_OF_EVENTS.keys()],
  AppMetrics: [...ATTRIBUTES_OF_METRICS.keys()],
  AzureMetrics: METERS,
};
/** Functions and spans have names too, of which the page has patterns only. */
const isNamed = (table: string) => Object.hasOwn(NAMES, table);

/** The attributes that a table has, in rows of these names or, where none is asked for, in any. */
function attributesOf(table: string, names: readonly string[]): string[] {
  const among = (rows: ReadonlyMap<string, string[]>) =>
    names.length > 0 ? names.flatMap((name) => rows.get(name) ?? []) : [...rows.values()].flat();
  switch (table) {
    case "AppEvents":
      return among(ATTRIBUTES_OF_EVENTS);
    case "AppMetrics":
      return among(ATTRIBUTES_OF_METRICS);
    case "AppRequests":
    case "AppDependencies":
      return [...ATTRIBUTES_OF_SPANS, ...OF_FUNCTIONS];
    case "AppExceptions":
      return OF_FUNCTIONS;
    default:
      return [];
  }
}

/** Names that no event or metric has, and attributes that none of what the query names has. */
export function unsaid(query: string): string[] {
  const strange = namesIn(query).flatMap(({ table, name }) =>
    !isNamed(table) || NAMES[table]?.includes(name) ? [] : [`${table}: ${name}`],
  );
  // What comes after `let` may read of what `let` has made.
  const attributes = query.split(";").flatMap((statement) => {
    const source = tablesIn(statement).length > 0 ? statement : query;
    const named = namesIn(source);
    const known = new Set(
      tablesIn(source).flatMap((table) =>
        attributesOf(
          table,
          named.flatMap((each) => (each.table === table ? [each.name] : [])),
        ),
      ),
    );
    return attributesIn(statement).filter((name) => !known.has(name));
  });
  return [...strange, ...new Set(attributes)];
}

export const spanAttributes: readonly string[] = ATTRIBUTES_OF_SPANS;
