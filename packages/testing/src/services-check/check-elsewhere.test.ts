// The check of agents that call no service from the app: one elsewhere by its worker, over a queue, and a rule by what it answers.
import { defineRemoteAgent, rule } from "@scheduler-agent-supervisor/core/agents";
import { defineApp, defineContract, type Job, jobId, jobMembers } from "@scheduler-agent-supervisor/core/app";
import { NO_RULES, workflowsOf } from "@scheduler-agent-supervisor/core/workflows";
import { expect, test } from "vitest";
import { z } from "zod";
import { checkService } from "./check-service.ts";
import type { AskByQueue } from "./worker-caller.ts";

interface Stay extends Job {
  readonly jobId: string;
  readonly guest: string;
}

const contract = defineContract<Stay>({
  schema: z.strictObject({ ...jobMembers("stay"), jobId, guest: z.string() }),
  ...{ secrets: [], keys: [], keysOf: () => ({}) },
});
const contracts = { usual: contract, usualWorkflow: "stay", of: {} };
const rooms = defineRemoteAgent({
  name: "rooms",
  seen: ({ jobId: id }: Stay) => ({ id }),
  results: { book: z.object({ roomId: z.string() }), cancel: z.object({ status: z.string() }) },
});
const times = { completeWithin: "PT10S" } as const;

function businessWith(now: () => number) {
  const stars = rule({
    name: "stars",
    sees: ({ guest }: Stay) => ({ guest }),
    reads: { bookRoom: z.object({ roomId: z.string() }) },
    result: z.object({ stars: z.number(), at: z.number(), room: z.string().nullable() }),
    run: ({ job, results }) => ({ stars: job.guest.length, at: now(), room: results.bookRoom?.roomId ?? null }),
  });
  const agents = [rooms, stars] as const;
  const stay = workflowsOf(
    agents,
    NO_RULES,
  )({
    name: "stay",
    version: 1,
    policy: { failureThreshold: 3, waits: [], onExhausted: "fail", onRejected: "fail" },
    steps: [
      {
        ...{ name: "bookRoom", agent: "rooms", operation: "book", transport: "queue", after: [], ...times },
        compensation: { operation: "cancel", ...times },
      },
      {
        ...{ name: "rate", agent: "stars", operation: "decide", after: ["bookRoom"], ...times },
        compensation: "nothing",
      },
    ],
  });
  return defineApp({ contracts, agents, workflows: [stay] });
}

/** A worker of rooms; one that forgets keys books as often as it is asked. */
function workerOf(forgetsKeys: boolean) {
  const replies = new Map<string, object>();
  const booked = new Map<string, string>();
  const asked: { readonly direction: string; readonly operation: string }[] = [];
  const ask: AskByQueue = async (_agent, request, isLast) => {
    const { ticket, idempotencyKey: key, operation, compensates } = request;
    asked.push({ direction: ticket.direction, operation });
    const reply = (): object => {
      if (operation === "cancel") {
        if (!booked.has(compensates?.idempotencyKey ?? "")) booked.set(compensates?.idempotencyKey ?? "", "");
        return { kind: "done", result: { status: "cancelled" } };
      }
      if (booked.get(key) === "") return { kind: "rejected", message: "it was cancelled before" };
      const roomId = `room-${booked.size + 1}`;
      booked.set(forgetsKeys ? `${key}-${booked.size}` : key, roomId);
      return { kind: "done", result: { roomId } };
    };
    const answer = (!forgetsKeys && replies.get(key)) || reply();
    replies.set(key, answer);
    isLast({ ticket, kind: "started" });
    return isLast({ ticket, ...answer });
  };
  return { ask, asked };
}

const contents = [{ guest: "Ada" }];
const shared = { contents, endpoints: {}, lateAfterMs: 0 };

test("P34 a worker is asked by its queue as a service is, and one that forgets its keys fails", async () => {
  const business = businessWith(() => 0);
  const { ask, asked } = workerOf(false);
  const good = await checkService({ ...shared, business, agent: "rooms", askByQueue: ask });
  const [book] = good;
  expect(book?.verdicts).toEqual({
    ...{ repeated: "holds", concurrent: "holds", late: "holds" },
    ...{ afterCompensation: "holds", compensatedFirst: "holds" },
  });
  expect(good.flatMap(({ faults }) => faults)).toEqual([]);
  expect(asked).toContainEqual({ direction: "compensate", operation: "cancel" });
  const [bad] = await checkService({ ...shared, business, agent: "rooms", askByQueue: workerOf(true).ask });
  expect(bad?.verdicts).toMatchObject({ repeated: "fails", concurrent: "fails", late: "fails" });
  expect(bad?.faults).toEqual([expect.stringMatching(/agent rooms, operation book: its worker failed.*corrected/)]);
});

test("P34 a worker that does not reply, and one that nothing reaches, are not checked", async () => {
  const business = businessWith(() => 0);
  const unanswered = await checkService({ ...shared, business, agent: "rooms", askByQueue: async () => false });
  expect(unanswered[0]?.notChecked).toContain("no reply by");
  const [book] = await checkService({ ...shared, business, agent: "rooms" });
  expect(book?.notChecked).toContain("there is no Service Bus");
  const unreadable: AskByQueue = async (_, __, isLast) => isLast({ kind: "done" });
  const [odd] = await checkService({ ...shared, business, agent: "rooms", askByQueue: unreadable });
  expect(odd?.notChecked).toContain("can't be read");
});

test("P34 a rule has the same answer twice and later, with what it reads; one that reads a clock has not", async () => {
  const options = { ...shared, agent: "stars", askByQueue: workerOf(false).ask };
  const [pure] = await checkService({ ...options, business: businessWith(() => 0) });
  expect(pure).toMatchObject({ verdicts: { repeated: "holds", late: "holds" }, faults: [] });
  expect(pure?.cases[0]?.seen).toContain('"room":"room-1"');
  let tick = 0;
  const business = businessWith(() => {
    tick += 1;
    return tick;
  });
  const [impure] = await checkService({ ...options, business });
  expect(impure?.verdicts).toEqual({ repeated: "fails", late: "fails" });
  expect(impure?.faults).toEqual([expect.stringMatching(/agent stars, operation decide: .*two answers.*pure/)]);
});

test("P34 at start, a worker or a rule whose record has a failed check stops the app", () => {
  const { agents, workflows } = businessWith(() => 0);
  const loaded = (checkedServices: object) =>
    defineApp({ contracts, agents, workflows, checkedServices: checkedServices as never }).loadWorkflows();
  const verdicts = (operation: string, check: "repeated" | "late") => ({
    at: "2026-11-27",
    operations: { [operation]: { [check]: "fails" } },
  });
  expect(() => loaded({ rooms: verdicts("book", "late") })).toThrow(/its worker failed a check/);
  expect(() => loaded({ stars: verdicts("decide", "repeated") })).toThrow(/It has to be pure/);
  expect(() => loaded({ stars: { at: "", operations: { decide: { repeated: "holds" } } } })).not.toThrow();
});
