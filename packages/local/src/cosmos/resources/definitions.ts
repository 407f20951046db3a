// Replies with the definitions of resources: one, a list, or what a query makes of a list.
import type { Json, JsonObject } from "../../json.ts";
import { readQuery } from "../queries/queries.ts";
import type { Reply } from "../request.ts";
import { matches } from "../sql/compiled-query.ts";

export function resource(status: number, definition: JsonObject): Reply {
  return { status, charge: 1, body: JSON.stringify(definition), headers: ["etag", String(definition["_etag"])] };
}

export function resources(name: string, rid: string, list: readonly Json[]): Reply {
  return { status: 200, charge: 1, body: JSON.stringify({ _rid: rid, [name]: list, _count: list.length }) };
}

/** A query over definitions, which are few: filter and projection only. */
export function select(body: string, list: readonly JsonObject[]): Json[] {
  const { query, parameters } = readQuery(body);
  return list
    .flatMap((definition) => [...matches(query, definition, parameters)].map(query.project))
    .filter((output) => output !== undefined);
}
