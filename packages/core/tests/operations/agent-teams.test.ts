// P7: agents of several teams, each with a reply queue of its own, over the store in memory.

import { deadLetterQueuesOf } from "@scheduler-agent-supervisor/operator/internal/messaging/dead-letters";
import { expect, test } from "vitest";
import { parseConfig } from "../../src/app/config.ts";
import { repliesQueueOf, teamOf } from "../../src/messaging/agent-teams.ts";
import { takeReply } from "../../src/scheduler/steps/take-reply.ts";
import { NOON_MS } from "../jobs.ts";
import { SETTINGS, videos } from "../videos.ts";
import { createWorld } from "../world.ts";

const TEAMS = [{ team: "fraud-team", agents: ["fraud", "scoring"] }];

test("P7 each agent replies on its team's queue, and one without a team on the app's own", () => {
  const queueOf = (agent: string) => repliesQueueOf(teamOf(agent, TEAMS), "agent-replies");
  expect(["fraud", "scoring", "payment"].map(queueOf)).toEqual([
    ...["agent-replies-fraud-team", "agent-replies-fraud-team", "agent-replies"],
  ]);
});

test("P7 a reply that can't be read is kept, and goes back to the team's queue", async () => {
  const world = createWorld(NOON_MS);
  const queue = "agent-replies-fraud-team";
  await takeReply({ kind: "done" }, world, { team: "fraud-team", queue });
  expect(world.quarantined).toMatchObject([{ subject: "InvalidReply", queue }]);
  const own = { consumed: [], quarantine: "quarantine", jobs: "jobs", agentReplies: "agent-replies" };
  const [quarantine] = deadLetterQueuesOf({ ...own, teamQueues: [queue] });
  expect(quarantine?.resendTo("InvalidReply", queue)).toBe(queue);
  expect(quarantine?.resendTo("InvalidSubmission", queue)).toBe("jobs");
});

test("P7 a team's queue takes no reply for another's agent: it is late, and changes nothing", async () => {
  const world = createWorld(NOON_MS);
  const task = await world.firstTask(await world.submitted());
  const { jobId, attempt, step, direction, lockedBy } = task;
  const checked = { ...task, transport: "queue", record: { ...task.record, nonce: "n-1" } } as const;
  const state = await world.store.state(jobId);
  if (!state) throw new Error("there is no record");
  const steps = { ...state.record.steps, [step]: checked.record };
  const workflow = { ...world.workflows.of(state.record.workflow) };
  const overQueue = workflow.steps.map((one) => ({ ...one, transport: "queue" as const }));
  Object.assign(world, {
    agentTeams: TEAMS,
    workflows: { ...world.workflows, of: () => ({ ...workflow, steps: overQueue }) },
  });
  await world.store.replace(state, { ...state.record, steps });
  const reply = {
    kind: "done",
    result: { id: "x" },
    ticket: { jobId, attempt, step, direction, lockedBy, nonce: "n-1" },
  };
  expect(await takeReply(reply, world, { team: "fraud-team", queue: "agent-replies-fraud-team" })).toBeUndefined();
  expect(world.eventNames()).toContain("LateReplyRejected");
  expect(await world.stateOf()).toMatchObject({ steps: { [step]: { state: "Scheduled" } } });
  expect(await takeReply(reply, world)).toMatchObject({ outcome: { kind: "completed" } });
});

test.each<[string, unknown, string]>([
  ["a team twice", [...TEAMS, { team: "fraud-team", agents: ["other"] }], "fraud-team is there twice"],
  ["an agent of two teams", [...TEAMS, { team: "other", agents: ["fraud"] }], "fraud has two teams"],
  ["a name that no function can have", [{ team: "fraud team", agents: ["fraud"] }], "[0].team: must be"],
])("the setting is rejected where it has %s", (_, list, fault) => {
  expect(() => parseConfig({ ...SETTINGS, AgentTeams: JSON.stringify(list) }, videos)).toThrow(fault);
});
