// What follows from an app's definition: who can be asked for what, who gets what, and what can't be.
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { bounds } from "../../tests/bounds.ts";
import { encoderAgent, storageAgent, type Video, videos } from "../../tests/videos.ts";
import { defineRemoteAgent } from "./define-agent.ts";
import { defineApp } from "./define-app.ts";
import { defineLocalAgent } from "./define-local-agent.ts";

const subtitles = defineRemoteAgent({
  name: "subtitles",
  seen: ({ jobId, languages }: Video) => ({ jobId, languages }),
  results: { write: z.object({ pages: z.int() }) },
});
/** It ignores what it declares for any other job than v-1. */
const clock = defineLocalAgent({
  name: "clock",
  results: { wait: z.object({ waited: z.string() }) },
  transports: ["activity"],
  operations: {
    wait: async ({ job }) => {
      const result = (job as Pick<Video, "jobId">).jobId === "v-1" ? { waited: "PT1M", more: 1 } : { waited: 60 };
      return { kind: "done", result: result as { waited: string } };
    },
  },
});
const definition = { ...videos, agents: [...videos.agents, subtitles, clock] };
const app = defineApp(definition);
const video = { jobId: "v-1", workflow: "publishing", priority: "normal", title: "Tea", minutes: 3 } as const;
const content: Video = { ...video, languages: ["en"], uploadToken: "s3cret" };
const resources = { store: null as never, now: () => 0, send: null as never };

test("an agent has the operations that it declares results of, and the ways that lead to it", () => {
  expect(app.knownAgents.get("storage")).toEqual({ operations: ["keep", "drop"], transports: ["activity", "queue"] });
  expect(app.knownAgents.get("subtitles")).toEqual({ operations: ["write"], transports: ["queue"] });
  expect(app.knownAgents.get("clock")).toEqual({ operations: ["wait"], transports: ["activity"] });
  expect(app.agentNames).toEqual(["storage", "encoder", "catalog", "clock"]);
});

test("each agent gets what it declares; one that declares nothing gets the id", () => {
  expect(app.contentFor("storage", content)).toEqual({ jobId: "v-1", uploadToken: "s3cret" });
  expect(app.contentFor("subtitles", content)).toEqual({ jobId: "v-1", languages: ["en"] });
  expect(app.contentFor("clock", content)).toEqual({ jobId: "v-1" });
});

test("a deployment has the agents whose services it has the addresses of, and those that have none", () => {
  const endpoints = { storage: [{ url: "http://127.0.0.1:1/", capacity: 1 }] };
  expect([...app.createAgents(endpoints, { now: () => 0 }, resources).keys()]).toEqual(["storage", "clock"]);
});

test("P6 a result is checked as its agent declares it, wherever that agent runs; what nobody declares fits as it is", () => {
  expect(app.checkResult("subtitles", "write", { pages: 3, more: true })).toEqual({
    kind: "fits",
    result: { pages: 3 },
  });
  expect(app.checkResult("subtitles", "write", { pages: "three" })).toEqual({
    kind: "misfit",
    faults: [expect.stringMatching(/^result\.pages: /)],
  });
  expect(app.checkResult("storage", "keep", {})).toMatchObject({ kind: "misfit" });
  expect(app.checkResult("clock", "wait", {})).toMatchObject({ kind: "misfit" });
  const asItIs = { kind: "fits", result: { pages: "three" } };
  expect(app.checkResult("subtitles", "toString", asItIs.result as never)).toEqual(asItIs);
  expect(app.checkResult("removed", "write", asItIs.result as never)).toEqual(asItIs);
});

test("P9 what an agent without a service returns is checked: what does not fit is not answered, and operators are alerted", async () => {
  const alerts: unknown[] = [];
  const onMisconfigured = (...alert: unknown[]) => void alerts.push(alert);
  const agent = app.createAgents({}, { now: () => 0, onMisconfigured }, resources).get("clock");
  const stillAtWork = vi.fn(async () => undefined);
  const within = { ...bounds("2026-01-01T12:00:00Z"), stillAtWork };
  const wait = (jobId: string) =>
    agent?.call("wait", { job: { jobId }, results: {}, idempotencyKey: "key", compensates: null }, within);
  expect(await wait("v-1")).toEqual({
    kind: "done",
    result: { waited: "PT1M" },
    endpoint: "this app",
    because: "its agent has no service",
  });
  expect(stillAtWork).not.toHaveBeenCalled();
  expect(alerts).toEqual([]);
  const message = expect.stringMatching(/^the result is not as the agent declares it: result\.waited: /);
  const lastError = { endpoint: "this app", message, misconfigured: true };
  expect(await wait("v-2")).toEqual({ kind: "expired", tries: 1, lastError, outcomeUnknown: true });
  expect(stillAtWork).toHaveBeenCalledOnce();
  expect(alerts).toEqual([["clock", "wait", lastError]]);
});

test("two agents of one name, or with one setting, are named with the error", () => {
  const again = { ...encoderAgent, name: "encoder2" };
  const define = () => defineApp({ ...definition, agents: [storageAgent, storageAgent, encoderAgent, again] });
  expect(define).toThrow(/two agents have the name storage[\s\S]*two agents have the setting EncoderEndpoints/);
});
