// Queries over the documents of a container, the plan the SDK asks for beside each, and the plain list.
import { isObject, parseJson } from "../../json.ts";
import { charges } from "../charges.ts";
import { COSMOS_LIMITS } from "../limits.ts";
import { scopeOf } from "../partitions/key-scope.ts";
import { fault, header, type ItemCall, isTrue, type Reply } from "../request.ts";
import { documentSeq } from "../resources/resource-id.ts";
import { inSlices } from "../slices.ts";
import type { Expression } from "../sql/ast.ts";
import { type CompiledQuery, compileQuery } from "../sql/compiled-query.ts";
import { isTooDeep, QueryFault } from "../sql/fault.ts";
import { NOTHING_TO_MERGE, planOf, type QueryInfo } from "../sql/plan.ts";
import type { Value } from "../sql/values.ts";
import { nothingVisited, type Visited } from "../visited.ts";
import type { Page, Place } from "./page.ts";
import { runQuery } from "./run-query.ts";

const DEFAULT_PAGE = 100;
const DYNAMIC_PAGE = 1000;

interface QueryText {
  readonly text: string;
  readonly query: CompiledQuery;
  readonly parameters: ReadonlyMap<string, Value>;
}

export function queryDocuments(call: ItemCall): Promise<Reply> {
  return answer(() => {
    const asked = readQuery(call.body);
    checkGroups(call, asked.query);
    return (isOverPartitions(call) && mergeFault(call, asked)) || page(call, asked);
  });
}

/** Throws a QueryFault. */
function checkGroups(call: ItemCall, { grouping }: CompiledQuery): void {
  if (!grouping || grouping.keys.length === 0 || call.headers["x-ms-documentdb-partitionkey"] !== undefined) return;
  const { value: most } = COSMOS_LIMITS.groupedAggregates;
  if (grouping.aggregates.length > most)
    throw new QueryFault(`A query with GROUP BY over all partition keys has ${most} aggregates at most.`);
}

const EVERYTHING = JSON.stringify({ query: "SELECT * FROM c" });

export function listDocuments(call: ItemCall): Promise<Reply> {
  return answer(() => page(call, readQuery(EVERYTHING)));
}

/** A query that names neither a partition key nor a part of the container. */
function isOverPartitions(call: ItemCall): boolean {
  const names = ["x-ms-documentdb-partitionkey", "x-ms-start-epk", "x-ms-end-epk"];
  return call.range === undefined && names.every((name) => call.headers[name] === undefined);
}

/** What clients have to merge themselves, so as Azure's gateway has them do: they then ask for the plan. */
function mergeFault(call: ItemCall, asked: QueryText): Reply | undefined {
  const plan = planFor(call, asked);
  if (!plan) return undefined;
  const body = {
    code: "BadRequest",
    // The SDK asks for a plan only if the message begins so.
    message: "Cross partition query only supports 'VALUE <AggregateFunc>' for aggregates: it takes a query plan.",
    additionalErrorInfo: JSON.stringify(executionInfo(plan)),
  };
  return { status: 400, charge: 1, body: JSON.stringify(body), headers: ["x-ms-substatus", "1004"] };
}

/**
 * Undefined where this server's answer is whole. One partition sorts and counts for the client, which Azure's does too where
 * the key is given; groups are always left to the client, whose results without a value differ from the server's.
 */
function planFor(call: ItemCall, { text, query, parameters }: QueryText): QueryInfo | undefined {
  const isOne = call.catalog.ranges.of(call.container).length === 1;
  if (isOne && !query.grouping?.keys.length) return undefined;
  try {
    return planOf(text, (expression) => countOf(expression, parameters));
  } catch (cause) {
    if (isOne && cause instanceof QueryFault) return undefined;
    throw cause;
  }
}

function countOf(expression: Expression, parameters: ReadonlyMap<string, Value>): number {
  const value = expression.kind === "parameter" ? parameters.get(expression.name) : undefined;
  const count = expression.kind === "literal" ? expression.value : value;
  if (typeof count === "number" && Number.isInteger(count) && count >= 0) return count;
  throw new QueryFault("TOP, OFFSET and LIMIT take whole numbers.");
}

const executionInfo = (queryInfo: QueryInfo) => ({
  partitionedQueryExecutionInfoVersion: 2,
  queryInfo,
  queryRanges: [{ min: "", max: "FF", isMinInclusive: true, isMaxInclusive: false }],
});

/** Without anything to merge the plan passes the query through. */
export function planQuery(call: ItemCall): Promise<Reply> {
  return answer(() => {
    const plan = planFor(call, readQuery(call.body)) ?? NOTHING_TO_MERGE;
    const isGrouped = plan.groupByExpressions.length > 0;
    // Undefined is a client of before there was such a header.
    const merges = header(call, "x-ms-cosmos-supported-query-features");
    if (isGrouped && merges !== undefined && !merges.includes("GroupBy")) {
      const isOne = call.catalog.ranges.of(call.container).length === 1;
      if (!isOne) throw new QueryFault("The query has GROUP BY, which the calling client does not support.");
      return { status: 200, charge: 0, body: JSON.stringify(executionInfo(NOTHING_TO_MERGE)) };
    }
    return { status: 200, charge: 0, body: JSON.stringify(executionInfo(plan)) };
  });
}

/** The body of a query request; a fault of the query is thrown. */
export function readQuery(body: string): QueryText {
  const given = parseJson(body);
  if (!isObject(given) || typeof given["query"] !== "string") throw new QueryFault("The body is not a query.");
  const { query, parameters } = given;
  const named = new Map<string, Value>();
  for (const parameter of Array.isArray(parameters) ? parameters : []) {
    if (isObject(parameter)) named.set(String(parameter["name"]), parameter["value"]);
  }
  return { text: query, query: compileQuery(query), parameters: named };
}

/** A 400 that names what is wrong with the query. */
export async function answer(run: () => Reply | Promise<Reply>): Promise<Reply> {
  try {
    return await run();
  } catch (cause) {
    if (cause instanceof QueryFault) return fault(400, cause.message);
    if (isTooDeep(cause)) return fault(400, "The query is too complex.");
    throw cause;
  }
}

async function page(call: ItemCall, { query, parameters }: QueryText): Promise<Reply> {
  const scope = scopeOf(call);
  if (typeof scope === "string") throw new QueryFault(scope);
  const given = header(call, "x-ms-max-item-count");
  const asked = Number(given ?? DEFAULT_PAGE);
  const visited = nothingVisited();
  const started = performance.now();
  const work = runQuery({
    container: call.container,
    query,
    parameters,
    scope,
    pageSize: asked > 0 ? asked : DYNAMIC_PAGE,
    resume: resumeOf(call),
    unsized: given === undefined || !(asked > 0),
    continuation: header(call, "x-ms-continuation"),
    visited,
    until: call.until,
  });
  const found = await inSlices(work);
  const reply = feed(call, found, visited, call.range ? TIES : []);
  if (!isTrue(header(call, "x-ms-documentdb-populatequerymetrics"))) return reply;
  const metrics = metricsOf(found, visited, performance.now() - started);
  return { ...reply, headers: [...(reply.headers ?? []), "x-ms-documentdb-query-metrics", metrics] };
}

/** What .NET's client sends to each partition where it goes on (its SqlQueryResumeFilter): the results from these sort values on. */
function resumeOf(call: ItemCall): Place | undefined {
  const body = parseJson(call.body);
  const filter = isObject(body) ? body["resumeFilter"] : undefined;
  if (!isObject(filter) || !Array.isArray(filter["value"])) return undefined;
  const values = filter["value"].map((value) => {
    if (Array.isArray(value) && value.length === 0) return undefined;
    if (typeof value === "object" && value !== null) throw new QueryFault("The resume filter has an array or object.");
    return value;
  });
  if (filter["exclude"] === true) return { values, seq: Number.MAX_SAFE_INTEGER };
  const seq = documentSeq(call.container.rid, String(filter["rid"] ?? ""));
  return { values, seq: seq === undefined ? -1 : seq - 1 };
}

/** In the form that the SDKs take apart; how the time divides is not measured. */
function metricsOf({ results }: Page, read: Visited, ms: number): string {
  const time = ms.toFixed(2);
  const written = results.reduce((bytes, { length }) => bytes + length, 0);
  return [
    `totalExecutionTimeInMs=${time}`,
    "queryCompileTimeInMs=0.00",
    "queryLogicalPlanBuildTimeInMs=0.00",
    "queryPhysicalPlanBuildTimeInMs=0.00",
    "queryOptimizationTimeInMs=0.00",
    `VMExecutionTimeInMs=${time}`,
    "indexLookupTimeInMs=0.00",
    "documentLoadTimeInMs=0.00",
    "systemFunctionExecuteTimeInMs=0.00",
    "userFunctionExecuteTimeInMs=0.00",
    `retrievedDocumentCount=${read.documents}`,
    `retrievedDocumentSize=${read.bytes}`,
    `outputDocumentCount=${results.length}`,
    `outputDocumentSize=${written}`,
    "writeOutputTimeInMs=0.00",
    `indexUtilizationRatio=${(read.documents === 0 ? 1 : Math.min(1, results.length / read.documents)).toFixed(2)}`,
  ].join(";");
}

/** To clients that merge: documents of one sort value come in the order of their `_rid`, also where the sort descends. */
const TIES = [
  "x-ms-cosmos-query-execution-info",
  JSON.stringify({ reverseRidEnabled: false, reverseIndexScan: false }),
];

function feed(call: ItemCall, { results, continuation }: Page, visited: Visited, more: readonly string[]): Reply {
  const documents = results.join(",");
  const headers = ["x-ms-item-count", String(results.length), ...more];
  if (continuation !== undefined) headers.push("x-ms-continuation", continuation);
  const body = `{"_rid":"${call.container.rid}","Documents":[${documents}],"_count":${results.length}}`;
  return { status: 200, charge: charges.query(documents.length, visited), headers, body };
}
