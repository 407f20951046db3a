import { expect, test } from "vitest";
import { idName, idOf, inAppsNames, inCoresNames, JOB, jobIdIn, textInAppsNames } from "./noun.ts";

const PARCEL = { one: "parcel", many: "consignments" };

test("a document has the app's names, and comes back as it was", () => {
  const record = { jobId: "p-1", jobRevision: 2, job: { jobId: "content's own" }, jobs: 3, jobIds: ["p-1"], steps: {} };
  const named = {
    parcelId: "p-1",
    parcelRevision: 2,
    parcel: { jobId: "content's own" },
    consignments: 3,
    parcelIds: ["p-1"],
    steps: {},
  };
  expect(inAppsNames(record, PARCEL)).toEqual(named);
  expect(inCoresNames(named, PARCEL)).toEqual(record);
});

test.each([undefined, null, "text", 7, [{ jobId: "p-1" }]])("what is no object stays as it is: %j", (value) => {
  expect(inAppsNames(value, PARCEL)).toBe(value);
  expect(inCoresNames(value, PARCEL)).toBe(value);
});

test("what anybody may send keeps each of its members, whatever they are called", () => {
  const sent: unknown = JSON.parse('{"__proto__": {"jobId": "p-2"}, "constructor": 1, "parcelId": "p-1"}');
  const copy = inCoresNames(sent, PARCEL);
  expect(JSON.stringify(copy)).toBe('{"__proto__":{"jobId":"p-2"},"constructor":1,"jobId":"p-1"}');
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
});

test("an app that has the core's noun gets the very same document", () => {
  const record = { jobId: "j-1" };
  expect(inAppsNames(record, { ...JOB })).toBe(record);
});

test("whole words of a text are in the app's words", () => {
  const text = "jobId: must be the id of a job, of several jobs; joblessness and myJob stay";
  const own = "parcelId: must be the id of a parcel, of several consignments; joblessness and myJob stay";
  expect(textInAppsNames(text, PARCEL)).toBe(own);
});

test("the content's id is the member that has the noun's name", () => {
  expect(idName(PARCEL)).toBe("parcelId");
  expect(idOf({ parcelId: "p-1", jobId: "other" }, PARCEL)).toBe("p-1");
});

test.each<[body: unknown, id: string | undefined]>([
  [{ parcelId: "p-1", ticket: { parcelId: "p-2" } }, "p-1"],
  [{ ticket: { parcelId: "p-2" } }, "p-2"],
  [{ jobId: "p-1" }, undefined],
  [{ parcelId: 7 }, undefined],
  [{ ticket: null }, undefined],
  ["text", undefined],
  [null, undefined],
])("a message with the body %j is about %s", (body, id) => {
  expect(jobIdIn(body, PARCEL)).toBe(id);
});
