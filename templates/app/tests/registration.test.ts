// Registrations in memory, with the simulated services of `npm start` and a clock that skips time: processed, compensated, and through an outage.
import { inMemoryServices } from "@scheduler-agent-supervisor/local/remotes";
import { createWorld, explore, type World } from "@scheduler-agent-supervisor/testing";
import { expect, test } from "vitest";
import { services } from "../samples/remotes.ts";
import { business } from "../shared/business.ts";
import { sampleJob } from "../tools/stack.ts";

const registration = sampleJob("registration-1");

async function register(prepare: (world: World) => void = () => undefined): Promise<World> {
  const world = createWorld({ business, simulated: (surroundings) => inMemoryServices(services, surroundings) });
  prepare(world);
  expect(await world.submit(registration)).toMatchObject({ kind: "recorded" });
  await world.run();
  return world;
}

const operations = (world: World, service: string) => world.service(service).calls.map(({ operation }) => operation);

test("an account is opened, and a welcome is sent", async () => {
  const world = await register();
  expect(world.record("registration-1").processState).toBe("Processed");
  expect(world.results("registration-1")).toEqual({
    openAccount: { accountId: "acc-1" },
    sendWelcome: { mailId: "mail-1" },
  });
  expect(world.service("mail").callsOf("welcome")[0]?.body).toMatchObject({ accountId: "acc-1" });
});

test("where no welcome can be sent, the account is closed again", async () => {
  const world = await register((prepared) =>
    prepared.service("mail").switchOn({ kind: "reject", message: "no such mailbox" }),
  );
  expect(world.record("registration-1").processState).toBe("Compensated");
  expect(world.steps("registration-1")).toMatchObject({ openAccount: "Compensated", sendWelcome: "Failed" });
  expect(operations(world, "accounts")).toEqual(["open", "close"]);
});

test("accounts are away for ten minutes: the registration waits, and an account is opened when they are back", async () => {
  const world = await register((prepared) => prepared.service("accounts").switchOn({ kind: "down", forMs: 600_000 }));
  expect(world.record("registration-1").processState).toBe("Processed");
  expect(operations(world, "accounts")).not.toContain("close");
});

test("whatever a service rejects, or does not do in time, a registration ends, and nothing is left half done", async () => {
  const { complete, violation, ends } = await explore(business, "registration", {
    goesWrong: { rejections: 1, timeouts: 3 },
  });
  expect(violation?.way).toBeUndefined();
  expect({ complete, ends }).toEqual({ complete: true, ends: ["Compensated", "Error", "Processed"] });
});

test("an answer that is lost opens no second account", async () => {
  const world = await register((prepared) => prepared.service("accounts").switchOn({ kind: "loseReply", calls: 1 }));
  expect(world.record("registration-1").processState).toBe("Processed");
  const keys = world
    .service("accounts")
    .callsOf("open")
    .map(({ idempotencyKey }) => idempotencyKey);
  expect(keys).toHaveLength(2);
  expect(new Set(keys).size).toBe(1);
});
