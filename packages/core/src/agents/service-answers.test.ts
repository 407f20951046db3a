// P9, P31, P32: every answer of the table, given over HTTP to a step that is done at most once, to one that is asked for, to an idempotent one, to a
// poll and to a compensation.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { bounds } from "../../tests/bounds.ts";
import { type HttpServer, startHttpServer } from "../../tests/http-server.ts";
import { sampleJob } from "../../tests/jobs.ts";
import type { AgentRequest, BoundedReply, OperationPolicy } from "./agent.ts";
import { callService, keepId, lookUp, notYet } from "./http-service.ts";
import { routeAgent } from "./route-agent.ts";
import { ANSWERS, type AnswerRow, type AnswerRule, declaredFor } from "./service-answers.ts";

/** What is decided: of these each is a fault in a design that says otherwise. */
const DECIDED: readonly (readonly [
  status: number,
  mayHaveHappened: boolean,
  ofOneRequest: "json" | "always" | "never",
])[] = [
  ...[200, 204, 300, 301, 302, 303, 304].map((status) => [status, true, "json"] as const),
  ...[307, 308, 404, 405, 410].map((status) => [status, false, "json"] as const),
  ...[401, 403, 407, 421, 425, 429, 501, 505, 511].map((status) => [status, false, "never"] as const),
  ...[400, 402, 406, 411, 413, 414, 415, 417, 422, 426, 428, 431, 451].map(
    (status) => [status, false, "always"] as const,
  ),
  [409, true, "always"],
  ...[408, 460, 499, 500, 502, 503, 504, 507, 520, 522, 524, 527, 529, 599].map(
    (status) => [status, true, "never"] as const,
  ),
];

interface Answer {
  readonly status: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const JSON_TYPE = { "content-type": "application/json" };
const foreign = (status: number): Answer => ({
  status,
  body: "<h1>Gateway</h1>",
  headers: { "content-type": "text/html" },
});
/** The id of a fault is no result. */
const own = (status: number): Answer => ({
  status,
  body: JSON.stringify({ code: "odd", message: "its own words", ...(status >= 300 && { id: "fault-7" }) }),
  headers: JSON_TYPE,
});
const made: Answer = { status: 201, body: '{"id":"x-1"}', headers: JSON_TYPE };

let service: HttpServer;
let script: Answer[];
/** `POST`, or the path of a GET. */
let asked: string[];

beforeEach(async () => {
  [script, asked] = [[], []];
  service = await startHttpServer((request, response) => {
    asked.push(request.method === "POST" ? "POST" : String(request.url));
    const { status, body = "", headers } = script.shift() ?? made;
    response.writeHead(status, headers).end([204, 304].includes(status) ? undefined : body);
  });
});
afterEach(() => service[Symbol.asyncDispose]());

const keep = keepId("id");
const answers: readonly AnswerRule[] = [
  { status: 200, code: "sold-out", means: "rejected" },
  { status: 503, code: "closed", means: "later" },
  { status: 504, means: "later" },
  { status: 409, code: "request-in-progress", means: "later" },
];
const FIND: OperationPolicy = {
  find: { ask: (call) => lookUp({ path: "found", keep }, call), settlesWithinMs: 5 },
};
const POLL: OperationPolicy = { poll: async (call) => notYet(await lookUp({ path: "polled", keep }, call)) };

function agentWith(policy: OperationPolicy) {
  const health: string[] = [];
  const agent = routeAgent(
    {
      name: "things",
      operations: { do: (call) => callService({ path: "things", body: {}, keep, answers }, call) },
      policies: { do: policy },
    },
    [{ url: service.url, capacity: 4 }],
    {
      now: Date.now,
      firstPauseMs: 1,
      longestPauseMs: 2,
      breaker: { failures: 2, openMs: 5, longestOpenMs: 5 },
      onHealth: (_, __, state) => health.push(state),
    },
  );
  return { agent, health };
}

async function called(
  policy: OperationPolicy,
  given: readonly Answer[],
  more: Partial<AgentRequest> = {},
  withinMs = 5000,
  { agent, health } = agentWith(policy),
) {
  script = [...given];
  const request = {
    job: sampleJob("job-1"),
    results: {},
    idempotencyKey: "job-1:do:forward",
    compensates: null,
    ...more,
  };
  const reply = await agent.call("do", request, bounds(new Date(Date.now() + withinMs).toISOString()));
  return { reply, health, asked };
}

const isUnknown = (reply: BoundedReply) => "outcomeUnknown" in reply && reply.outcomeUnknown === true;

describe.each(DECIDED)("HTTP %i, which may have happened: %s", (status, mayHaveHappened, ofOneRequest) => {
  test.each([
    ["a gateway's words", foreign(status)],
    ["its own", own(status)],
  ])("%s", async (_, answer) => {
    const once = await called({ atMostOnce: true }, [answer]);
    expect(once.asked).toEqual(mayHaveHappened ? ["POST"] : ["POST", "POST"]);
    expect(isUnknown(once.reply)).toBe(mayHaveHappened);
    expect(once.reply.kind).toBe(mayHaveHappened ? "rejected" : "done");

    asked = [];
    const found = await called(FIND, [answer]);
    expect(found.asked).toEqual(mayHaveHappened ? ["POST", "/found"] : ["POST", "POST"]);
    expect(found.reply).toMatchObject({ kind: "done", result: { id: "x-1" } });

    for (const more of [{}, { compensates: { idempotencyKey: "job-1:do:forward", result: null } }]) {
      asked = [];
      const idempotent = await called({}, [answer], more);
      expect(idempotent.asked).toEqual(["POST", "POST"]);
      expect(idempotent.reply).toMatchObject({ kind: "done" });

      asked = [];
      const expired = await called({ tries: 1 }, [answer], more);
      expect(expired.reply).toMatchObject({
        kind: "expired",
        lastError: { message: expect.stringContaining(`HTTP ${status}`) },
      });
      expect(isUnknown(expired.reply)).toBe(mayHaveHappened);
    }

    asked = [];
    const polled = await called(POLL, [answer], { awaited: { reference: "x-1", startedAt: "" } as never });
    expect(polled.asked).toEqual(["/polled"]);
    expect(polled.reply.kind).toBe("expired");
  });

  test("the breaker", async () => {
    for (const [answer, isJson] of [
      [foreign(status), false],
      [own(status), true],
    ] as const) {
      // An answer without a body has no words.
      if (isJson && [204, 304].includes(status)) continue;
      const { health } = await called({}, [answer, answer, answer]);
      const isOfOne = ofOneRequest === "always" || ofOneRequest === "json";
      // One job alone shows nothing about the endpoint, where an answer may be about either.
      expect(health.includes("broken")).toBe(!isOfOne);
    }
  });
});

test("each row has a status that is decided here, and each that is decided a row of its own meaning", () => {
  const rowOf = (status: number) =>
    ANSWERS.find(({ on }) => typeof on !== "string" && on.from <= status && status <= on.to);
  const rows = new Set<AnswerRow | undefined>(DECIDED.map(([status]) => rowOf(status)));
  expect(ANSWERS.filter((row) => typeof row.on !== "string" && !rows.has(row)).map(({ on }) => on)).toEqual([]);
  expect(rows.has(undefined)).toBe(false);
});

describe("the agent's own rules", () => {
  test("a success with a declared code is that decision, and any other code none", async () => {
    const soldOut = { ...made, status: 200, body: '{"id":"x-1","code":"sold-out","message":"no seats"}' };
    expect((await called({}, [soldOut])).reply).toMatchObject({ kind: "rejected", message: "no seats" });
    expect((await called({}, [{ ...soldOut, body: '{"id":"x-1","code":"fine"}' }])).reply).toMatchObject({
      kind: "done",
    });
  });

  test("`later` in the service's own words did nothing; without a code it may be a gateway's", async () => {
    const closed = { status: 503, body: '{"code":"closed"}', headers: JSON_TYPE };
    expect((await called({ atMostOnce: true }, [closed])).reply.kind).toBe("done");
    expect(isUnknown((await called({ atMostOnce: true }, [own(504)])).reply)).toBe(true);
    expect(
      declaredFor({ status: 200, isJson: true, code: undefined, isNamed: false }, [{ status: 200, means: "rejected" }]),
    ).toBeUndefined();
  });

  test("a success that holds an error says the service's own words, whatever their form", async () => {
    for (const body of [
      { message: "no seats" },
      { error: "no seats" },
      { error: { code: "full", message: "no seats" } },
      { errors: [{ detail: "no seats" }] },
      { type: "about:blank", title: "no seats" },
    ]) {
      const answer = { status: 200, body: JSON.stringify(body), headers: JSON_TYPE };
      const { reply } = await called({ tries: 1 }, [answer]);
      expect(reply).toMatchObject({
        kind: "expired",
        lastError: { message: "HTTP 200: without the expected answer: no seats", misconfigured: true, ofRequest: true },
        outcomeUnknown: true,
      });
    }
  });
});

test("RFC 9110 15.4.4: a 303 to a resource of the same endpoint is read; elsewhere, or without it, nobody knows", async () => {
  const to = (location: string): Answer => ({ status: 303, headers: { location } });
  const read = await called({ atMostOnce: true }, [to("/things/7"), { ...made, status: 200 }]);
  expect([read.reply, read.asked]).toMatchObject([{ kind: "done", result: { id: "x-1" } }, ["POST", "/things/7"]]);
  asked = [];
  const elsewhere = await called({ atMostOnce: true }, [to("http://127.0.0.1:1/things/7")]);
  expect([isUnknown(elsewhere.reply), elsewhere.asked]).toEqual([true, ["POST"]]);
  const missing = await called({ atMostOnce: true }, [to("things/7"), own(404)]);
  expect(missing.reply).toMatchObject({
    kind: "rejected",
    outcomeUnknown: true,
    message: expect.stringContaining("HTTP 404"),
  });
});

describe.each(DECIDED.filter(([status, , ofOneRequest]) => ofOneRequest === "json" && ![204, 304].includes(status)))(
  "P31 eight jobs that HTTP %i answers",
  (status) => {
    test.each([
      ["in the service's own words leave the others their endpoint", own(status), false],
      ["in a gateway's words are the endpoint's", foreign(status), true],
    ])("%s", async (_, answer, isBroken) => {
      const shared = agentWith({ tries: 1 });
      for (let job = 0; job < 8; job++) {
        const idempotencyKey = `job-${job}:do:forward`;
        await called({}, [answer], { idempotencyKey }, 5000, shared);
      }
      expect(shared.health.includes("broken")).toBe(isBroken);
    });
  },
);

test.each(["2147484", "4294968", "99999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"])(
  "a pause of any length is one pause: Retry-After: %s",
  async (pause) => {
    const headers = { ...JSON_TYPE, "retry-after": pause, date: new Date().toUTCString() };
    const busy = { status: 409, body: '{"code":"request-in-progress"}', headers };
    const { reply } = await called({}, Array(50).fill(busy), {}, 300);
    expect(reply.kind).toBe("expired");
    expect(asked).toEqual(["POST"]);
  },
);
