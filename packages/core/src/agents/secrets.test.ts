// A service repeats what it was sent: nothing of a job's secrets is in what its agent answers.
import { describe, expect, test } from "vitest";
import type { AgentCall, Finding } from "./agent.ts";
import { answeringWithout } from "./without-secrets.ts";

const SECRET = "tok_visa-1";
const call = {} as AgentCall;

describe("P31 a job's secret in a service's answer", () => {
  test.each<[string, Finding]>([
    ["a rejection", { kind: "rejected", message: `no ${SECRET}` }],
    ["an outage", { kind: "unavailable", message: `HTTP 500: ${SECRET}` }],
    ["a result", { kind: "done", result: { id: SECRET } }],
    ["a reference", { kind: "accepted", reference: SECRET }],
    ["a reference that is polled", { kind: "pending", retryAfterMs: 1, reference: SECRET }],
  ])("%s", async (_, finding) => {
    const shown = JSON.stringify(await answeringWithout(async () => finding, [SECRET])(call));
    expect(shown).toContain("(hidden)");
    expect(shown).not.toContain(SECRET);
  });

  test("an error of the agent's code", async () => {
    const failing = answeringWithout(
      async (): Promise<Finding> => Promise.reject(new Error(`with ${SECRET}`)),
      [SECRET],
    );
    await expect(failing(call)).rejects.toThrow("with (hidden)");
  });
});
