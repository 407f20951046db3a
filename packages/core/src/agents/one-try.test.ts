// What is thrown around a try (P10): it ends, and its endpoint has its place back.
import { expect, test } from "vitest";
import type { AgentReply } from "./agent.ts";
import { routeAgent } from "./route-agent.ts";

const WITHOUT_TEXT = Object.create(null);
const THROWS_ITS_TEXT = {
  toString: () => {
    throw new Error("no text");
  },
};
const REQUEST = { job: {}, results: {}, idempotencyKey: "job-1:work:forward", compensates: null } as const;

function agentOf(work: () => Promise<AgentReply>, getToken?: () => Promise<never>) {
  const authentication = getToken && ({ kind: "token", scope: "api://a/.default" } as const);
  return routeAgent(
    { name: "inventory", operations: { work } },
    [{ url: "https://a/", capacity: 1, ...(authentication && { authentication }) }],
    { now: Date.now, ...(getToken && { authenticators: { settingOf: () => undefined, identity: { getToken } } }) },
  );
}

const call = (agent: ReturnType<typeof agentOf>, completeInMs = 300) =>
  agent.call("work", REQUEST, {
    priority: "normal",
    startBy: new Date(Date.now() + completeInMs).toISOString(),
    takeUp: async () => ({ kind: "taken", completeBy: new Date(Date.now() + completeInMs).toISOString() }) as never,
    stillAtWork: async () => true,
    noteFault: async () => undefined,
  } as never);

test.each<[string, unknown]>([
  ["an error", new Error("a bug")],
  ["nothing", undefined],
  ["what has no text", WITHOUT_TEXT],
  ["what throws when it is made a text", THROWS_ITS_TEXT],
])("P10 an operation that throws %s gives its place back", async (_, thrown) => {
  let calls = 0;
  const agent = agentOf(() => {
    calls += 1;
    return calls < 3 ? Promise.reject(thrown) : Promise.resolve({ kind: "done", result: {} });
  });
  for (let time = 0; time < 2; time += 1) {
    const outcome = await call(agent).then(
      () => "answered",
      () => "thrown",
    );
    expect(outcome).toBe("thrown");
  }
  await expect(call(agent)).resolves.toMatchObject({ kind: "done" });
});

test.each<[string, unknown]>([
  ["done without a result", { kind: "done" }],
  ["a fault without a message", { kind: "unavailable" }],
  ["nothing", undefined],
])("P10 an operation that returns %s gives its place back, and throws", async (_, odd) => {
  let calls = 0;
  const agent = agentOf(() => {
    calls += 1;
    return Promise.resolve((calls < 3 ? odd : { kind: "done", result: {} }) as AgentReply);
  });
  for (const _time of [1, 2]) await expect(call(agent)).rejects.toThrow();
  await expect(call(agent)).resolves.toMatchObject({ kind: "done" });
});

test("P10 a credential whose error has no text is a missing credential, and no call is sent", async () => {
  let calls = 0;
  const work = async (): Promise<AgentReply> => {
    calls += 1;
    return { kind: "done", result: {} };
  };
  const agent = agentOf(work, () => Promise.reject(WITHOUT_TEXT));
  const reply = await call(agent);
  expect(reply).toMatchObject({ kind: "expired", lastError: { misconfigured: true } });
  expect(JSON.stringify(reply)).toContain("no credential: something that cannot be shown as text");
  expect(calls).toBe(0);
});
