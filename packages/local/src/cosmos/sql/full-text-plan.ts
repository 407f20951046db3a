// The plan of ORDER BY RANK: clients gather statistics of all partitions, have each score its documents by them, and merge by score.
// Source: what the SDKs do with such a plan (HybridQueryExecutionContext of @azure/cosmos).
import type { Expression, Query } from "./ast.ts";
import { QueryFault } from "./fault.ts";
import { printExpression, printTail } from "./print.ts";
import { NOTHING_TO_MERGE, payloadOf, type QueryInfo } from "./query-info.ts";

export interface HybridSearchInfo {
  readonly globalStatisticsQuery: string;
  readonly requiresGlobalStatistics: true;
  readonly componentQueryInfos: readonly QueryInfo[];
  readonly componentWithoutPayloadQueryInfos: readonly QueryInfo[];
  readonly projectionQueryInfo: null;
  readonly componentWeights: readonly number[];
  readonly skip: number | null;
  readonly take: number | null;
}

export interface Bounds {
  readonly top: number | null;
  readonly offset: number | null;
  readonly limit: number | null;
}

interface Component {
  readonly text: string;
  readonly terms: readonly Expression[];
}

const PLACE = "documentdb-formattablehybridsearchquery";

export function hybridSearchInfo(query: Query, rank: Expression, bounds: Bounds): HybridSearchInfo {
  const { parts, weights } = partsOf(rank);
  const components = parts.map(componentOf);
  const scores = components.map(({ text, terms }, index) => {
    const statistics = `{${PLACE}-totaldocumentcount}, {${PLACE}-totalwordcount-${index}}, {${PLACE}-hitcountsarray-${index}}`;
    return `FULLTEXTSCORE(${text}, [${terms.map(printExpression).join(", ")}], ${statistics})`;
  });
  const take = bounds.top ?? bounds.limit;
  const root = query.sources[0]?.alias ?? "c";
  const payload = `{"payload": ${payloadOf(query)}, "componentScores": [${scores.join(", ")}]} AS payload`;
  const statistics = components.map(({ text, terms }) => {
    const hits = terms.map((term) => `SUM(FULLTEXTCONTAINS(${text}, ${printExpression(term)}) ? 1 : 0)`);
    return `{"totalWordCount": SUM(FULLTEXTWORDCOUNT(${text})), "hitCounts": [${hits.join(", ")}]}`;
  });
  return {
    globalStatisticsQuery: `SELECT COUNT(1) AS documentCount, [${statistics.join(", ")}] AS fullTextStatistics FROM ${root}`,
    requiresGlobalStatistics: true,
    componentQueryInfos: scores.map((score) => ({
      ...NOTHING_TO_MERGE,
      top: take === null ? null : take + (bounds.offset ?? 0),
      orderBy: ["Descending"],
      orderByExpressions: [score],
      // The client sorts, so this server need not.
      rewrittenQuery: `SELECT ${root}["_rid"], [{"item": ${score}}] AS orderByItems, ${payload} ${printTail(query)}`,
      hasNonStreamingOrderBy: true,
    })),
    componentWithoutPayloadQueryInfos: [],
    projectionQueryInfo: null,
    componentWeights: weights,
    skip: bounds.offset,
    take,
  };
}

/** `RRF(score, score, ..., [weights])`, or one score. */
function partsOf(rank: Expression): { readonly parts: readonly Expression[]; readonly weights: readonly number[] } {
  if (rank.kind !== "call" || rank.name !== "RRF") return { parts: [rank], weights: [] };
  const last = rank.given.at(-1);
  if (last?.kind !== "array") return { parts: rank.given, weights: [] };
  const weights = last.items.map((item) => Number(printExpression(item).replaceAll(/[() ]/g, "")));
  return { parts: rank.given.slice(0, -1), weights };
}

function componentOf(part: Expression): Component {
  if (part.kind === "call" && part.name === "VECTORDISTANCE")
    throw new QueryFault("Vector search is not supported by this server: VECTORDISTANCE.");
  const [text, first, ...more] = part.kind === "call" && part.name === "FULLTEXTSCORE" ? part.given : [];
  if (!text || !first) throw new QueryFault("ORDER BY RANK takes FullTextScore, or RRF of several.");
  const terms = first.kind === "array" ? first.items : [first, ...more];
  return { text: printExpression(text), terms };
}
