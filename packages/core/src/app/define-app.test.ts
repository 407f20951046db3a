// What follows from an app's definition: who can be asked for what, who gets what, and what can't be.
import { expect, test } from "vitest";
import { z } from "zod";
import { encoderAgent, storageAgent, type Video, videos } from "../../tests/videos.ts";
import { defineLocalAgent, defineRemoteAgent } from "./define-agent.ts";
import { defineApp } from "./define-app.ts";

const subtitles = defineRemoteAgent({
  name: "subtitles",
  seen: ({ orderId, languages }: Video) => ({ orderId, languages }),
  results: { write: z.object({ pages: z.int() }) },
});
const clock = defineLocalAgent({
  name: "clock",
  results: { wait: z.object({}) },
  transports: ["activity"],
  create: () => ({ name: "clock", operationNames: ["wait"], call: async () => ({ kind: "notTakenUp" }) }),
});
const definition = { ...videos, agents: [...videos.agents, subtitles, clock] };
const app = defineApp(definition);
const video = { orderId: "v-1", workflow: "publishing", priority: "normal", title: "Tea", minutes: 3 } as const;
const content: Video = { ...video, languages: ["en"], uploadToken: "s3cret" };
const resources = { store: null as never, now: () => 0 };

test("an agent has the operations that it declares results of, and the ways that lead to it", () => {
  expect(app.knownAgents.get("storage")).toEqual({ operations: ["keep", "drop"], transports: ["activity", "queue"] });
  expect(app.knownAgents.get("subtitles")).toEqual({ operations: ["write"], transports: ["queue"] });
  expect(app.knownAgents.get("clock")).toEqual({ operations: ["wait"], transports: ["activity"] });
  expect(app.agentNames).toEqual(["storage", "encoder", "catalog", "clock"]);
});

test("each agent gets what it declares; one that declares nothing gets the id", () => {
  expect(app.contentFor("storage", content)).toEqual({ orderId: "v-1", uploadToken: "s3cret" });
  expect(app.contentFor("subtitles", content)).toEqual({ orderId: "v-1", languages: ["en"] });
  expect(app.contentFor("clock", content)).toEqual({ orderId: "v-1" });
});

test("a deployment has the agents whose services it has the addresses of, and those that have none", () => {
  const endpoints = { storage: [{ url: "http://127.0.0.1:1/", capacity: 1 }] };
  expect([...app.createAgents(endpoints, { now: () => 0 }, resources).keys()]).toEqual(["storage", "clock"]);
});

test("two agents of one name, or with one setting, are named with the error", () => {
  const again = { ...encoderAgent, name: "encoder2" };
  const define = () => defineApp({ ...definition, agents: [storageAgent, storageAgent, encoderAgent, again] });
  expect(define).toThrow(/two agents have the name storage[\s\S]*two agents have the setting EncoderEndpoints/);
});
