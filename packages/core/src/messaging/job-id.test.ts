// What a content calls its id is one line of its contract; the app's own messages say jobId.
import { expect, test } from "vitest";
import { z } from "zod";
import { goodsContract } from "../../tests/goods.ts";
import { defineApp } from "../app/define-app.ts";
import type { Job } from "../domain/content/job.ts";
import { documentOf } from "../store/cosmos-documents.ts";
import { parseSubmission } from "../submission/submission-message.ts";
import { type Contracts, defineContract, idNameOf, idOf, jobIdIn, jobMembers, nounOf } from "./contract.ts";

interface Parcel extends Job {
  readonly parcelId?: string | undefined;
}

const parcel = defineContract<Parcel>({
  idName: "parcelId",
  schema: z.strictObject({ parcelId: z.string().optional(), ...jobMembers("parcel") }),
  ...{ secrets: [], keys: [], keysOf: () => ({}) },
});
const contracts: Contracts = { usual: parcel, usualWorkflow: "parcel", of: {} };

test("the id is the member that the contract names, jobId if it names none", () => {
  expect([idNameOf(contracts), idNameOf({ ...contracts, usual: goodsContract })]).toEqual(["parcelId", "jobId"]);
  expect(idOf({ parcelId: "p-1", jobId: "other" }, "parcelId")).toBe("p-1");
  expect(
    [{ parcelId: 1002 }, { parcelId: null }, { jobId: "p-1" }].map((content) => idOf(content, "parcelId")),
  ).toEqual(["", "", ""]);
});

test.each([
  [{ parcelId: "p-1", jobId: "other" }, "p-1"],
  [{ jobId: "p-1", attempt: 1 }, "p-1"],
  [{ ticket: { jobId: "p-1" } }, "p-1"],
  [{ ticket: { parcelId: "p-1" } }, undefined],
  [{ parcelId: 7, jobId: "p-1" }, undefined],
  [null, undefined],
  ["p-1", undefined],
])("the job of the message %j is %s", (body, id) => {
  expect(jobIdIn(body, contracts)).toBe(id);
});

test.each([
  ["parcel", undefined],
  ["id", undefined],
  ["correlationId", undefined],
  ["a.b.Id", undefined],
  ["parcelId", ["parcelId"]],
])("P1 an id named %s is no name for a document's member: the contract can't be defined", (idName, secrets = []) => {
  expect(() => defineContract({ ...goodsContract, secrets, idName: idName as never })).toThrow(`idName`);
});

test("the name of the id says what people call a job", () => {
  const nounFor = (idName: string) => nounOf({ ...contracts, usual: { ...parcel, idName } });
  expect(["parcelId", "jobId", "loanApplicationId"].map(nounFor)).toEqual(["parcel", "job", "loan application"]);
});

test("an app whose contracts name the id differently can't run: it is the partition key of all of its jobs", () => {
  const app = { contracts: { ...contracts, of: { goods: goodsContract } }, agents: [], workflows: [] };
  expect(() => defineApp(app)).toThrow("one contract's idName is jobId, and the usual one's parcelId");
});

test.each([[{}], [{ parcelId: "" }], [{ parcelId: "a/b" }]])(
  "P1 content %j, which a loose schema takes, is rejected for its id by the contract's name",
  (content) => {
    const rules = { workflows: ["parcel"], contracts };
    expect(parseSubmission(content, {}, rules)).toEqual({
      kind: "invalid",
      faults: [expect.stringMatching(/^parcelId: must be 1 to 80 letters/)],
    });
  },
);

test("a document has the id under the contract's name too, whatever the record has there; one of jobId has it once", () => {
  const record = { jobId: "p-1", parcelId: "old", attempt: 2 };
  expect(documentOf("state", record, "parcelId")).toEqual({ id: "state", jobId: "p-1", parcelId: "p-1", attempt: 2 });
  expect(documentOf("state", { jobId: "p-1" }, "jobId")).toEqual({ id: "state", jobId: "p-1" });
});
