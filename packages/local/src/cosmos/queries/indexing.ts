// What an indexing policy means here: which paths get an index of their own, and which ORDER BY it can serve.
import { isObject, type Json, type JsonObject } from "../../json.ts";
import { COSMOS_LIMITS } from "../limits.ts";
import type { Value } from "../sql/values.ts";

export interface IndexedPath {
  /** `/dueAt`: also the name of its column. */
  readonly name: string;
  readonly segments: readonly string[];
}

interface CompositePart {
  readonly name: string;
  readonly descending: boolean;
}

export interface Indexing {
  /** Included paths that end in `/?`: each has a column with the sort key of its value, and an index on it. */
  readonly paths: readonly IndexedPath[];
  readonly composites: readonly (readonly CompositePart[])[];
  /** Of the most specific pattern that matches a path. */
  readonly coverage: (name: string) => "named" | "wildcard" | "none";
}

interface Pattern {
  readonly name: string;
  readonly wildcard: boolean;
  readonly included: boolean;
}

/** Azure indexes these whatever the policy says. */
const ALWAYS = new Set(["/id", "/_ts"]);

const ROOT = "/*";

/** The policy as the service completes it: what includes and excludes nothing at the root includes all of it. */
export function completePolicy(policy: Value): JsonObject {
  const given: JsonObject = isObject(policy) ? policy : {};
  const mode = String(given["indexingMode"] ?? "consistent").toLowerCase();
  // "lazy" is of the past: the service makes it consistent.
  const fields = { automatic: mode !== "none", ...given, indexingMode: mode === "lazy" ? "consistent" : mode };
  if (mode === "none") return { ...fields, includedPaths: [], excludedPaths: [] };
  const [included, excluded] = [listOf(given["includedPaths"]), listOf(given["excludedPaths"])];
  const named = included.length > 0 || excluded.some((entry) => pathOf(entry) === ROOT);
  const etag = excluded.some((entry) => pathOf(entry) === ETAG) ? [] : [{ path: ETAG }];
  return {
    ...fields,
    includedPaths: named ? included.map(plainly) : [{ path: ROOT }],
    excludedPaths: [...excluded, ...etag],
  };
}

/** Kinds and precisions of indexes are of the past: the service takes them and leaves them out. */
function plainly(entry: Json): Json {
  if (!isObject(entry)) return entry;
  const { indexes: _, ...kept } = entry;
  return kept;
}

const ETAG = '/"_etag"/?';

export const isIndexed = (policy: Value): boolean => completePolicy(policy)["indexingMode"] !== "none";

/** What is wrong with a policy, if anything. */
export function policyFault(policy: Value): string | undefined {
  const { indexingMode, includedPaths, excludedPaths, compositeIndexes, spatialIndexes } = completePolicy(policy);
  if (indexingMode === "none") return undefined;
  if (indexingMode !== "consistent") return "The indexing mode is consistent or none.";
  const { includedPaths: mostIncluded, excludedPaths: mostExcluded } = COSMOS_LIMITS;
  // Azure's own path for the ETag is among those excluded.
  if (listOf(includedPaths).length > mostIncluded.value || listOf(excludedPaths).length > mostExcluded.value + 1) {
    return `An indexing policy includes ${mostIncluded.value} paths and excludes ${mostExcluded.value} at most.`;
  }
  const spatial = spatialFault(listOf(spatialIndexes));
  if (spatial) return spatial;
  const composites = compositeFault(listOf(compositeIndexes));
  if (composites) return composites;
  const paths = [...listOf(includedPaths), ...listOf(excludedPaths)].map(pathOf);
  const strange = paths.find((path) => path !== ROOT && !INDEX_PATH.test(path));
  if (strange !== undefined) return notAccepted(strange, "it ends in /? or /*");
  const twice = paths.find((path, place) => paths.indexOf(path) < place);
  if (twice !== undefined) return `The indexing path '${twice}' stands in the policy twice.`;
  if (paths.filter((path) => path === ROOT).length === 1) return undefined;
  return "The path '/*' has to be in one of the two lists of an indexing policy.";
}

/** A name of other characters than these stands in quotes. Microsoft, "Manage indexing policies". */
const LABEL = String.raw`(?:[\p{L}\p{N}_]+|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')`;
const INDEX_PATH = new RegExp(String.raw`^(?:/(?:${LABEL}|\[\]))+/[?*]$`, "u");
const COMPOSITE_PATH = new RegExp(`^(?:/${LABEL})+$`, "u");

const notAccepted = (path: string, end: string) =>
  `'${path}' is no path of an indexing policy: ${end}, and a name of other characters than letters, digits and _ stands in quotes.`;

const SPATIAL_TYPES = ["Point", "LineString", "Polygon", "MultiPolygon"];

function spatialFault(indexes: readonly Json[]): string | undefined {
  const strange = indexes.map(pathOf).find((path) => !INDEX_PATH.test(path));
  if (strange !== undefined) return notAccepted(strange, "it ends in /? or /*");
  const types = indexes.flatMap((index) => (isObject(index) ? listOf(index["types"]) : []));
  if (types.every((type) => SPATIAL_TYPES.includes(String(type)))) return undefined;
  return `The types of a spatial index are ${SPATIAL_TYPES.join(", ")}.`;
}

function compositeFault(composites: readonly Json[]): string | undefined {
  const { composites: most, compositePaths } = COSMOS_LIMITS;
  if (composites.length > most.value) return `A container has ${most.value} composite indexes at most.`;
  const least = COSMOS_LIMITS.leastCompositePaths.value;
  if (composites.some((parts) => !Array.isArray(parts) || parts.length < least)) {
    return `A composite index has ${least} paths at least.`;
  }
  const all = composites.flatMap(listOf);
  const strange = all.map(pathOf).find((path) => !COMPOSITE_PATH.test(path));
  if (strange !== undefined) return notAccepted(strange, "of a composite index it has neither /? nor /* at its end");
  const orders = all.map((part) => (isObject(part) ? part["order"] : undefined));
  if (!orders.every((order) => order === undefined || order === "ascending" || order === "descending"))
    return "The order of a path in a composite index is ascending or descending.";
  const isLong = composites.some((parts) => Array.isArray(parts) && parts.length > compositePaths.value);
  return isLong ? `A composite index has ${compositePaths.value} paths at most.` : undefined;
}

const listOf = (value: Value): Json[] => (Array.isArray(value) ? value : []);
/** The root is also written `/`. */
function pathOf(entry: Json): string {
  const path = isObject(entry) && typeof entry["path"] === "string" ? entry["path"] : "";
  return path === "/" ? ROOT : path;
}

export function readIndexing(policy: Value): Indexing {
  const fields = completePolicy(policy);
  const patterns = [...patternsOf(fields["includedPaths"], true), ...patternsOf(fields["excludedPaths"], false)];
  const named = patterns.filter(({ included, wildcard, name }) => included && !wildcard && !ALWAYS.has(name));
  return {
    paths: named.map(({ name }) => ({ name, segments: name.slice(1).split("/") })),
    composites: compositesOf(fields["compositeIndexes"]),
    coverage: (name) => {
      if (ALWAYS.has(name)) return "named";
      const matching = patterns.filter((pattern) => matches(pattern, name));
      const best = matching.sort((a, b) => b.name.length - a.name.length || Number(a.wildcard) - Number(b.wildcard))[0];
      if (!best?.included) return "none";
      return best.wildcard ? "wildcard" : "named";
    },
  };
}

export function valueAt(document: JsonObject, segments: readonly string[]): Value {
  let at: Value = document;
  for (const segment of segments) {
    if (!isObject(at) || !Object.hasOwn(at, segment)) return undefined;
    at = at[segment];
  }
  return at;
}

/** Azure answers 400 to an ORDER BY that no index serves; so does this server, although it could sort. */
export function orderFault(
  { coverage, composites }: Indexing,
  orderings: readonly { readonly path: string; readonly descending: boolean }[],
): string | undefined {
  const [first, ...more] = orderings;
  if (!first) return undefined;
  if (more.length === 0) {
    if (coverage(first.path) !== "none") return undefined;
    return `ORDER BY ${first.path} needs an index, and the indexing policy excludes it.`;
  }
  const served = composites.some(
    (parts) =>
      parts.length === orderings.length &&
      parts.every(({ name }, index) => name === orderings[index]?.path) &&
      // As it is written, or all the other way round.
      new Set(parts.map(({ descending }, index) => descending === orderings[index]?.descending)).size === 1,
  );
  if (served) return undefined;
  const paths = orderings.map(({ path }) => path).join(", ");
  return `ORDER BY over several properties needs a composite index of them, in this order: ${paths}.`;
}

/** Of a partition key, a unique key or a conflict resolution policy. */
export const KEY_PATH = /^(\/("([^"\\]|\\.)*"|'([^'\\]|\\.)*'|[^/\s"'*?[\]]+))+$/;

const SEGMENT = /\/(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^/]*))/g;

/** `/a/"b/c"` to `a` and `b/c`: a name in quotes may have any character. */
export function pathSegments(path: string): string[] {
  return [...path.matchAll(SEGMENT)].map(([, double, single, plain]) => {
    const quoted = double ?? single;
    return quoted === undefined ? (plain ?? "") : quoted.replaceAll(/\\(.)/g, "$1");
  });
}

/** `/a/"b c"/?` to `/a/b c`. */
function pathName(path: string): string {
  return pathSegments(path.replace(/\/[?*]$/, ""))
    .map((segment) => `/${segment}`)
    .join("");
}

function matches({ name, wildcard }: Pattern, path: string): boolean {
  return path === name || (wildcard && path.startsWith(`${name}/`));
}

function patternsOf(list: Value, included: boolean): Pattern[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry) => {
    const path = pathOf(entry);
    // Elements of arrays (`/a/[]/?`) have no single value to sort by.
    if (path === "" || path.includes("[")) return [];
    return [{ name: pathName(path), wildcard: path.endsWith("/*"), included }];
  });
}

function compositesOf(list: Value): CompositePart[][] {
  if (!Array.isArray(list)) return [];
  return list.filter(Array.isArray).map((parts) =>
    parts.filter(isObject).map((part) => ({
      name: pathName(String(part["path"])),
      descending: part["order"] === "descending",
    })),
  );
}
