// The entities' part of the durable HTTP API.
import type { DurableHttpResponse } from "../contract.ts";
import { entityId } from "./actions.ts";
import {
  type Call,
  CONTINUATION_HEADER,
  hasRefusedCharacter,
  instantOf,
  isJsonType,
  isTrue,
  json,
  jsonBody,
  NO_JSON,
  pageSize,
  problem,
} from "./route.ts";
import { entityStatus } from "./status.ts";

/** As on the real host one that exists without a state is not found either; the list has it. */
export function readEntity({ parts: [name = "", key = ""], entities }: Call): DurableHttpResponse {
  const state = entities.find(entityId(name, key))?.state;
  return state === undefined ? { status: 404 } : json(200, state);
}

export function listEntities({ request, parts: [name], entities }: Call): DurableHttpResponse {
  const { query, headers } = request;
  const limit = pageSize(query);
  const updatedFrom = instantOf(query, "lastOperationTimeFrom");
  const updatedTo = instantOf(query, "lastOperationTimeTo");
  const after = headers[CONTINUATION_HEADER];
  const found = entities.list({
    limit: limit + 1,
    ...(name !== undefined && { idPrefix: entityId(name, "") }),
    ...(updatedFrom !== undefined && { updatedFrom }),
    ...(updatedTo !== undefined && { updatedTo }),
    ...(after && { after }),
  });
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const withStates = isTrue(query.get("fetchState"));
  // Only who reads the states sees which entity has none, and leaves it out.
  const wanted = page.filter(({ state }) => !withStates || state !== undefined);
  const shown = wanted.map((entity) => entityStatus(entity, withStates));
  const more = found.length > limit && last ? { [CONTINUATION_HEADER]: last.id } : {};
  return json(200, JSON.stringify(shown), more);
}

/** A DELETE is the operation `delete`, which it is the entity's to understand. */
export async function signalEntity({ request, parts: [name = "", key = ""], entities }: Call) {
  // What is not declared as JSON is a text (HttpApiHandler, HandlePostEntityOperationRequestAsync).
  const isText = request.body !== "" && !isJsonType(request.headers["content-type"]);
  const body = isText ? ({ kind: "json", text: JSON.stringify(request.body) } as const) : jsonBody(request);
  if (body.kind === "invalid") return problem(400, NO_JSON);
  if (hasRefusedCharacter(key))
    return problem(
      400,
      `'${key}' is no key of an entity: it may not contain '/', '\\', '#', '?' or control characters.`,
    );
  const operation = request.method === "DELETE" ? "delete" : (request.query.get("op") ?? "");
  const refusal = await entities.signal(name, key, operation, body.text);
  return refusal === undefined ? { status: 202 } : problem(400, refusal);
}
