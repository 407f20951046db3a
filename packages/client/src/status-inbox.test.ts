// What waits, what is delivered once, and what counts as the end of a job.
import { expect, test } from "vitest";
import { type JobStatus, readStatus, type StatusMessage } from "./job-messages.ts";
import { endOf, StatusInbox, type Waiter } from "./status-inbox.ts";

function status(status: JobStatus, attempt = 1, jobId = "job-1"): StatusMessage {
  return { messageId: `${jobId}:${attempt}:${status}`, jobId, attempt, status, at: "2026-01-01T12:00:00.000Z" };
}

interface Recorder extends Waiter {
  readonly received: string[];
  end: string | undefined;
  gone: Error | undefined;
}

function recorder(): Recorder {
  const recording: Recorder = {
    received: [],
    end: undefined,
    gone: undefined,
    onStatus: ({ status, attempt }) => void recording.received.push(`${status} ${attempt}`),
    onEnd: (end) => {
      recording.end = `${end.status} ${end.attempt}`;
    },
    onGone: (cause) => {
      recording.gone = cause;
    },
  };
  return recording;
}

test("delivers each status once, in order of arrival, to all who wait for its job and to nobody else", () => {
  const inbox = new StatusInbox();
  const [one, two, other] = [recorder(), recorder(), recorder()];
  inbox.join("job-1", one, "start");
  inbox.join("job-1", two, "start");
  inbox.join("job-2", other, "start");
  for (const next of [status("Received"), status("Started"), status("Received"), status("Completed")]) inbox.take(next);
  for (const { received, end } of [one, two]) {
    expect(received).toEqual(["Received 1", "Started 1", "Completed 1"]);
    expect(end).toBe("Completed 1");
  }
  expect(other).toMatchObject({ received: [], end: undefined });
});

test("who comes later receives what came before", () => {
  const inbox = new StatusInbox();
  for (const next of [status("Received"), status("Completed")]) inbox.take(next);
  const late = recorder();
  inbox.join("job-1", late, "start");
  expect(late).toMatchObject({ received: ["Received 1", "Completed 1"], end: "Completed 1" });
});

test("who left receives nothing more", () => {
  const inbox = new StatusInbox();
  const gone = recorder();
  inbox.join("job-1", gone, "start")();
  inbox.take(status("Completed"));
  expect(gone).toMatchObject({ received: [], end: undefined });
});

test("following after a failure waits for what an operator makes of it; the end of that stays true for ever", () => {
  const inbox = new StatusInbox();
  inbox.take(status("Failed"));
  const first = recorder();
  inbox.join("job-1", first, "unpublished");
  expect(first.end).toBe("Failed 1");
  const second = recorder();
  inbox.join("job-1", second, "unpublished");
  expect(second).toMatchObject({ received: [], end: undefined });
  inbox.take(status("Started", 2));
  inbox.take(status("Completed", 2));
  expect(second).toMatchObject({ received: ["Started 2", "Completed 2"], end: "Completed 2" });
  const third = recorder();
  inbox.join("job-1", third, "unpublished");
  expect(third).toMatchObject({ received: [], end: "Completed 2" });
});

test("a later attempt takes a failure back; a word of an earlier one that comes late does not", () => {
  expect(endOf([status("Failed"), status("Started", 2)])).toBeUndefined();
  expect(endOf([status("Completed", 2), status("Started", 1)])?.status).toBe("Completed");
  expect(endOf([])).toBeUndefined();
});

test("who submitted something is notified of that content alone", () => {
  const inbox = new StatusInbox();
  const about = (contentDigest: string, next: StatusMessage) => ({ ...next, contentDigest });
  const [own, early] = [
    { ...recorder(), contentDigest: "mine" },
    { ...recorder(), contentDigest: "mine" },
  ];
  inbox.join("job-1", early, "start");
  for (const next of [status("Received"), status("Completed")]) inbox.take(about("another's", next));
  inbox.join("job-1", own, "start");
  expect([own, early].map(({ received }) => received)).toEqual([[], []]);
  expect(inbox.received("job-1", "mine")).toEqual([]);
  inbox.take(about("mine", status("Received")));
  inbox.take(status("Started"));
  expect(own.received).toEqual(["Received 1"]);
  expect(own.end).toBeUndefined();
});

test("all who wait are notified when nothing more can be received", () => {
  const inbox = new StatusInbox();
  const waiting = recorder();
  inbox.join("job-1", waiting, "start");
  inbox.abandon(new Error("gone"));
  expect(waiting.gone?.message).toBe("gone");
});

test("forgets the oldest jobs that nobody waits for, and only those", () => {
  const inbox = new StatusInbox(2);
  const waiting = recorder();
  inbox.join("job-1", waiting, "start");
  for (const jobId of ["job-2", "job-3", "job-4"]) inbox.take(status("Received", 1, jobId));
  expect(inbox.received("job-2")).toEqual([]);
  expect(inbox.received("job-3")).toEqual([]);
  expect(inbox.received("job-4")).toHaveLength(1);
  inbox.take(status("Completed"));
  expect(waiting.end).toBe("Completed 1");
});

test("reads status messages, and nothing else", () => {
  const body = { jobId: "job-1", attempt: 1, status: "StepCompleted", step: "takePayment", at: "now" };
  expect(readStatus({ body, messageId: "m", correlationId: "c" })).toEqual({
    ...body,
    messageId: "m",
    correlationId: "c",
  });
  expect(readStatus({ body })?.messageId).toBe("job-1:1:StepCompleted:takePayment");
  for (const stray of [undefined, null, "text", {}, { ...body, status: "Newer" }, { ...body, attempt: "1" }]) {
    expect(readStatus({ body: stray })).toBeUndefined();
  }
});

test("once a digest was given for a job, a message without one counts for nothing", () => {
  const inbox = new StatusInbox();
  const own = { ...recorder(), contentDigest: "own" };
  const waiting = recorder();
  inbox.take({ ...status("Received"), contentDigest: "own" });
  inbox.join("job-1", { ...own, onEnd: own.onEnd }, "start");
  inbox.join("job-1", waiting, "start");
  inbox.take(status("Completed"));
  expect(waiting.received).toEqual(["Received 1"]);
  expect(waiting.end).toBeUndefined();
  expect(inbox.received("job-1", "own").map(({ status: name }) => name)).toEqual(["Received"]);
  inbox.take({ ...status("Failed"), contentDigest: "own" });
  expect(waiting.end).toBe("Failed 1");
});

test("an older app's messages, without any digest, count as before, whatever others send with one", () => {
  const inbox = new StatusInbox();
  inbox.take({ ...status("Received"), contentDigest: "other" });
  inbox.take(status("Completed"));
  expect(inbox.received("job-1", "own").map(({ status: name }) => name)).toEqual(["Completed"]);
});

test.each([
  [{ jobId: "job-1", attempt: 1, status: "Rejected", faults: [{ toString: 1 }, { valueOf: null }, "a fault", 7] }],
  [{ jobId: "job-1", attempt: 1, status: "Rejected", step: { toString: 1 }, faults: { length: 3 } }],
  [{ jobId: { toString: 1 }, attempt: { valueOf: 1 }, status: { toString: 1 } }],
  [Object.create(null)],
  [[{ toString: 1 }]],
])("reading %j as a status never throws", (body) => {
  expect(() => readStatus({ body, messageId: { toString: 1 }, correlationId: { toString: 1 } })).not.toThrow();
});

/** JSON of any shape, with the names that a status has, and those that an object's own operators call. */
function randomJson(pick: (below: number) => number, depth = 0): unknown {
  const names = [
    "jobId",
    "attempt",
    "status",
    "at",
    "step",
    "detail",
    "faults",
    "submissionId",
    "contentDigest",
    "outputs",
  ];
  const more = ["toString", "valueOf", "toJSON", "constructor", "__proto__", "length", "then", "message"];
  const texts = ["job-1", "Received", "Completed", "Rejected", "StepCompleted", "", "\ud800", "__proto__"];
  const numbers = [0, 1, 2, -1, 0.5, 1e308, Number.MAX_SAFE_INTEGER];
  switch (pick(depth > 2 ? 4 : 7)) {
    case 0:
      return texts[pick(texts.length)];
    case 1:
      return numbers[pick(numbers.length)];
    case 2:
      return pick(2) === 0;
    case 3:
      return null;
    case 4:
      return Array.from({ length: pick(4) }, () => randomJson(pick, depth + 1));
    default:
      return JSON.parse(
        `{${[...names, ...more]
          .filter(() => pick(6) === 0)
          .map((name) => `${JSON.stringify(name)}:${JSON.stringify(randomJson(pick, depth + 1))}`)
          .join()}}`,
      );
  }
}

test("whatever a message is, reading it as a status and handling it never throws", () => {
  let state = 29;
  const pick = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const inbox = new StatusInbox(3);
  const waiting = { ...recorder(), contentDigest: "own" };
  let read = 0;
  for (let time = 0; time < 1000; time += 1) {
    const own =
      pick(3) === 0 ? {} : { jobId: "job-1", attempt: pick(3), status: ["Received", "Completed", "Rejected"][pick(3)] };
    const body = pick(4) === 0 ? randomJson(pick) : { ...Object(randomJson(pick)), ...own };
    const message = { body, messageId: randomJson(pick), correlationId: randomJson(pick) };
    const status = readStatus(message);
    if (!status) continue;
    read += 1;
    // Whoever shows it may write any of it as text.
    expect(
      `${status.step} ${status.detail} ${status.at} ${status.faults} ${Object.values(status.outputs ?? {}).join()}`,
    ).toBeTypeOf("string");
    inbox.take(status);
    inbox.join(status.jobId, waiting, "start")();
  }
  expect(read).toBeGreaterThan(100);
});
