// Whatever goes wrong, the terminal names the command that comes next.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { UsageError } from "../every-app/arguments.ts";
import { openApp } from "./app.ts";
import { runVerb, VERBS_USAGE } from "./verbs.ts";

const NEXT = /npm run orders -- |--key|--token|the role Jobs/;

/** It answers with the status that the path names. */
const server = createServer((request, response) => {
  response.writeHead(Number(/\d+/.exec(request.url ?? "")?.[0] ?? 404));
  response.end(JSON.stringify({ reason: "not now" }));
});
let url = "";
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

test.each([400, 401, 403, 404, 405, 409, 412, 413, 429, 500, 502, 503, 504])("an answer %i", async (status) => {
  const fault = await openApp({ url })
    .get(String(status))
    .catch((cause: unknown) => String(cause));
  expect(fault).toContain(`${status}: not now`);
  expect(fault).toMatch(NEXT);
});

const verbs = [...VERBS_USAGE.matchAll(/^ {2}([a-z][a-z-]*) (.+)$/gm)].map(
  ([, verb = "", call = ""]) => [verb, call] as const,
);
/** Without a word they show or do everything. */
const NEEDS_NONE = /^(\[.*\]|FILTER)$/;

test.each(verbs.filter(([, call]) => !NEEDS_NONE.test(call)))("%s without what it needs: %s", async (verb, call) => {
  const fault = await runVerb(verb, [], {}, () => url).catch((cause: unknown) => cause);
  expect(fault).toBeInstanceOf(UsageError);
  expect(String(fault)).toContain(`npm run orders -- ${verb} ${call}`);
});
