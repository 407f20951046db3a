// Queries over the documents of a container, the plan the SDK asks for beside each, and the plain list.
import { charges } from "./charges.ts";
import { scopeOf } from "./key-scope.ts";
import { fault, header, type ItemCall, isTrue, type Reply } from "./request.ts";
import { type Meter, type Page, runQuery } from "./run-query.ts";
import { inSlices } from "./slices.ts";
import { type CompiledQuery, compileQuery } from "./sql/compiled-query.ts";
import { QueryFault } from "./sql/fault.ts";
import { isObject, parseJson, type Value } from "./sql/values.ts";

const DEFAULT_PAGE = 100;
const DYNAMIC_PAGE = 1000;

export interface QueryText {
  readonly query: CompiledQuery;
  readonly parameters: ReadonlyMap<string, Value>;
}

export function queryDocuments(call: ItemCall): Promise<Reply> {
  return answer(() => page(call, readQuery(call.body)));
}

const EVERYTHING = JSON.stringify({ query: "SELECT * FROM c" });

export function listDocuments(call: ItemCall): Promise<Reply> {
  return answer(() => page(call, readQuery(EVERYTHING)));
}

/**
 * Everything is answered by the one physical partition, so the plan passes the query through: nothing is left to merge.
 */
const PLAN: Reply = {
  status: 200,
  charge: 0,
  body: JSON.stringify({
    partitionedQueryExecutionInfoVersion: 2,
    queryInfo: {
      distinctType: "None",
      top: null,
      offset: null,
      limit: null,
      orderBy: [],
      orderByExpressions: [],
      groupByExpressions: [],
      groupByAliases: [],
      aggregates: [],
      groupByAliasToAggregateType: {},
      rewrittenQuery: "",
      hasSelectValue: false,
      hasNonStreamingOrderBy: false,
    },
    queryRanges: [{ min: "", max: "FF", isMinInclusive: true, isMaxInclusive: false }],
  }),
};

export const planQuery = (): Reply => PLAN;

/** The body of a query request; a fault of the query is thrown. */
export function readQuery(body: string): QueryText {
  const given = parseJson(body);
  if (!isObject(given) || typeof given["query"] !== "string") throw new QueryFault("The body is not a query.");
  const { query, parameters } = given;
  const named = new Map<string, Value>();
  for (const parameter of Array.isArray(parameters) ? parameters : []) {
    if (isObject(parameter)) named.set(String(parameter["name"]), parameter["value"]);
  }
  return { query: compileQuery(query), parameters: named };
}

/** A 400 that names what is wrong with the query. */
export async function answer(run: () => Reply | Promise<Reply>): Promise<Reply> {
  try {
    return await run();
  } catch (cause) {
    if (cause instanceof QueryFault) return fault(400, cause.message);
    throw cause;
  }
}

async function page(call: ItemCall, { query, parameters }: QueryText): Promise<Reply> {
  const scope = scopeOf(call);
  if (typeof scope === "string") throw new QueryFault(scope);
  const given = header(call, "x-ms-max-item-count");
  const asked = Number(given ?? DEFAULT_PAGE);
  const meter = { documents: 0, bytes: 0 };
  const started = performance.now();
  const work = runQuery({
    container: call.container,
    query,
    parameters,
    scope,
    pageSize: asked > 0 ? asked : DYNAMIC_PAGE,
    unsized: given === undefined || !(asked > 0),
    continuation: header(call, "x-ms-continuation"),
    meter,
  });
  const found = await inSlices(work);
  const reply = feed(call, found);
  if (!isTrue(header(call, "x-ms-documentdb-populatequerymetrics"))) return reply;
  const metrics = metricsOf(found, meter, performance.now() - started);
  return { ...reply, headers: [...(reply.headers ?? []), "x-ms-documentdb-query-metrics", metrics] };
}

/** In the form that the SDKs take apart; how the time divides is not measured. */
function metricsOf({ results }: Page, read: Meter, ms: number): string {
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

function feed(call: ItemCall, { results, continuation }: Page): Reply {
  const documents = results.join(",");
  const headers = ["x-ms-item-count", String(results.length)];
  if (continuation !== undefined) headers.push("x-ms-continuation", continuation);
  const body = `{"_rid":"${call.container.rid}","Documents":[${documents}],"_count":${results.length}}`;
  return { status: 200, charge: charges.query(documents.length), headers, body };
}
