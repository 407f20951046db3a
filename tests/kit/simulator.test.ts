// The simulator of the documentation: a seed and what the reader did lead to the same state each time, and each ready case ends well.
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { addressOf, caseIn, MOST_STEPS } from "../../docs/.vitepress/simulator/case.ts";
import { READY } from "../../docs/.vitepress/simulator/cases.ts";
import { Buffer as OwnBuffer } from "../../docs/.vitepress/simulator/shims/buffer.ts";
import { createHash as ownHash } from "../../docs/.vitepress/simulator/shims/crypto.ts";
import { replay } from "../../docs/.vitepress/simulator/simulation.ts";

const ONCE = ["arrange", "authorize", "capture", "check", "reserve"];

async function endOf(address: string) {
  const simulation = await replay(caseIn(address).case, MOST_STEPS);
  expect(simulation.isOver).toBe(true);
  return simulation;
}

test.each(READY)("P16 $title: the order is Processed, and each service has done its work once", async ({ address }) => {
  const { record, effects } = await endOf(address);
  expect(record?.processState).toBe("Processed");
  expect(effects.map(({ operation }) => operation).sort()).toEqual(ONCE);
});

test("an undisturbed order needs no supervisor; each ready case shows what it is about", async () => {
  const who = async (address: string) => new Set((await endOf(address)).view().lines.map((line) => line.who));
  expect(await who("seed=1")).not.toContain("supervisor");
  const [killed, down, twice] = await Promise.all(READY.map(async ({ address }) => (await endOf(address)).view()));
  expect(killed?.lines.map(({ who }) => who)).toContain("supervisor");
  expect(killed?.lines.map(({ text }) => text)).toContain("The scheduler takes up: start attempt 2.");
  expect(down?.record?.fields).toContainEqual(["failureCount", expect.not.stringMatching(/^0$/)]);
  expect(Math.max(...(twice?.services ?? []).map(({ calls }) => calls))).toBeGreaterThan(1);
});

const AGENTS = ["inventory", "payment", "fraud", "shipping"];
const PROCESSES = ["submission", "scheduler", "supervisor", ...AGENTS];

test.each(PROCESSES)("P16 %s is killed between whichever steps: Processed, and each effect once", async (who) => {
  for (const after of [1, 3, 5, 6, 8, 10, 12, 14, 16, 18]) {
    const { record, effects } = await endOf(`seed=2&do=${after}.kill.${who}`);
    expect(record?.processState, String(after)).toBe("Processed");
    expect(effects.map(({ operation }) => operation).sort(), String(after)).toEqual(ONCE);
  }
});

test("a killed agent goes on with nothing; what it had in hand is delivered again to the process that replaces it", async () => {
  const wanted = caseIn("seed=1&do=6.kill.payment").case;
  const killed = await replay(wanted, 6);
  const inHand = killed.view().messages.filter(({ to, what }) => to === "payment" && what === "takePayment");
  expect(inHand.map(({ at }) => Date.parse(at) - Date.parse(killed.now))).toEqual([30_000]);
  const lines = (await replay(wanted, MOST_STEPS))
    .view()
    .lines.filter(({ who, step }) => who === "payment" && step > 6);
  expect(Date.parse(lines[0]?.at ?? "") - Date.parse(killed.now)).toBe(30_000);
});

test("the same seed and the same actions lead to the same state, another seed to other times", async () => {
  const address = "seed=7&do=4.kill.payment~9.delay.5~12.down.shipping~30.up.shipping";
  const [one, same, other] = await Promise.all([address, address, address.replace("seed=7", "seed=8")].map(endOf));
  expect(one?.view()).toEqual(same?.view());
  expect(one?.now).not.toBe(other?.now);
});

test("a step further leads where a replay to that step leads", async () => {
  const wanted = caseIn("seed=3&do=6.kill.scheduler~8.twice.9").case;
  const further = await replay(wanted, 8);
  while (further.steps < 14) await further.step();
  expect(further.view()).toEqual((await replay(wanted, 14)).view());
});

test("a delayed message comes a minute later, a doubled one twice", async () => {
  const calm = await endOf("seed=1");
  const [message] = (await replay(caseIn("seed=1").case, 2)).view().messages;
  const delayed = await endOf(`seed=1&do=2.delay.${message?.id}`);
  expect(Date.parse(delayed.now) - Date.parse(calm.now)).toBeGreaterThanOrEqual(30_000);
  expect(delayed.record?.processState).toBe("Processed");
  const doubled = await endOf(`seed=1&do=2.twice.${message?.id}`);
  expect(doubled.view().services[0]).toMatchObject({ id: "inventory", calls: 2, effects: [{ times: 1 }] });
});

test("an address is read as it was written, and what is at fault in it is left out", () => {
  const wanted = {
    seed: 5,
    actions: [
      { after: 3, kind: "kill", what: "payment" },
      { after: 9, kind: "all-twice", what: "" },
    ],
  } as const;
  expect(caseIn(`#${addressOf(wanted, 12)}`)).toEqual({ case: wanted, step: 12 });
  expect(caseIn("#seed=-1&do=x.kill.a~4.explode.b~2.kill.submission&step=1e9")).toEqual({
    case: { seed: 1, actions: [{ after: 2, kind: "kill", what: "submission" }] },
    step: 0,
  });
});

test("an action that names what is not there changes nothing", async () => {
  const { record } = await endOf("seed=1&do=3.down.nobody~3.kill.nobody~3.twice.999~3.delay.x");
  expect(record?.processState).toBe("Processed");
});

test("the page's own SHA-256 and Buffer do as Node's", () => {
  for (const length of [0, 3, 55, 56, 64, 1000]) {
    const text = "å".repeat(length);
    expect(ownHash("sha256").update(text).digest("hex")).toBe(createHash("sha256").update(text).digest("hex"));
    const bytes = Buffer.from(text);
    for (const encoding of ["hex", "base64", "base64url"] as const) {
      const written = OwnBuffer.from(text).toString(encoding);
      expect(written).toBe(bytes.toString(encoding));
      expect(OwnBuffer.from(written, encoding).toString()).toBe(text);
    }
  }
  for (const odd of ["a", "ab cd", "tok_visa", "===", "a=b", "Größe"])
    expect(OwnBuffer.from(odd, "base64").toString("hex"), odd).toBe(Buffer.from(odd, "base64").toString("hex"));
});
