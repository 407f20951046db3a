// P7: agents of several teams, each with a reply queue of its own, over the store in memory.

import { deadLetterQueuesOf } from "@scheduler-agent-supervisor/operator/internal/messaging/dead-letters";
import { expect, test } from "vitest";
import { parseConfig } from "../../src/app/config.ts";
import { repliesQueueOf, teamOf } from "../../src/messaging/agent-teams.ts";
import { takeReply } from "../../src/scheduler/take-reply.ts";
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

test.each<[string, unknown, string]>([
  ["a team twice", [...TEAMS, { team: "fraud-team", agents: ["other"] }], "fraud-team is there twice"],
  ["an agent of two teams", [...TEAMS, { team: "other", agents: ["fraud"] }], "fraud has two teams"],
  ["a name that no function can have", [{ team: "fraud team", agents: ["fraud"] }], "[0].team: must be"],
])("the setting is rejected where it has %s", (_, list, fault) => {
  expect(() => parseConfig({ ...SETTINGS, AgentTeams: JSON.stringify(list) }, videos)).toThrow(fault);
});
