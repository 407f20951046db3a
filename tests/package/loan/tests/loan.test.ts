// Loans in memory, with the simulated services of `npm start`: paid out, declined, not signed, and through lost answers.
import { inMemoryServices } from "@scheduler-agent-supervisor/local/remotes";
import { createWorld, type World } from "@scheduler-agent-supervisor/testing";
import { expect, test } from "vitest";
import { services } from "../samples/remotes.ts";
import { business } from "../shared/business.ts";
import { sampleJob } from "../tools/stack.ts";

async function asked(changes: object = {}, prepare: (world: World) => void = () => undefined): Promise<World> {
  const world = createWorld({ business, simulated: (surroundings) => inMemoryServices(services, surroundings) });
  prepare(world);
  expect(await world.submit({ ...sampleJob("loan-1"), ...changes })).toMatchObject({ kind: "recorded" });
  await world.run();
  return world;
}

const operations = (world: World, service: string) => world.service(service).calls.map(({ operation }) => operation);

test("a risky one is approved by a person, signed and paid out once", async () => {
  const world = await asked();
  expect(world.record("loan-1").processState).toBe("Processed");
  expect(world.results("loan-1")).toMatchObject({ score: { score: 450 }, decide: { isRisky: true } });
  expect(operations(world, "bank").toSorted()).toEqual(["insure", "pay", "reserve"]);
  expect(world.service("surveyor").callsOf("appraise")).toHaveLength(2);
});

test("nobody is asked where the score is good, and nothing is reserved where it is bad", async () => {
  expect((await asked({ applicant: "ada" })).steps("loan-1")).toMatchObject({
    approve: "Skipped",
    payOut: "Completed",
  });
  const declined = await asked({ applicant: "eve" });
  expect(declined.record("loan-1").processState).toBe("Compensated");
  expect(operations(declined, "bank")).toEqual([]);
  expect(declined.service("surveyor").callsOf("withdraw")).toHaveLength(2);
});

test("one that is not signed within 14 days is taken back", async () => {
  const days = 24 * 60 * 60_000;
  const late = { kind: "late", path: "/contracts", delayMs: 20 * days } as const;
  const world = await asked({}, (prepared) => void prepared.service("office").switchOn(late));
  expect(world.record("loan-1")).toMatchObject({ processState: "Compensated", error: { step: "sign" } });
  expect(operations(world, "bank").toSorted()).toEqual(["insure", "release", "reserve", "uninsure"]);
  expect(world.service("office").callsOf("cancel")).toHaveLength(1);
});

test("one whose payout was not answered is not paid out a second time", async () => {
  const lost = { kind: "loseReply", path: "/payouts", calls: 1 } as const;
  const world = await asked({}, (prepared) => void prepared.service("bank").switchOn(lost));
  expect(world.service("bank").callsOf("pay")).toHaveLength(1);
  expect(world.record("loan-1").steps["payOut"]).toMatchObject({ outcomeUnknown: true });
});

test("the bureau's worker is away for a minute: the loan waits for it", async () => {
  const away = { kind: "down", path: "agent-requests-bureau", forMs: 60_000 } as const;
  const world = await asked({}, (prepared) => void prepared.service("bureau").switchOn(away));
  expect(world.record("loan-1").processState).toBe("Processed");
});
