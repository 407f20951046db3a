import { expect, test } from "vitest";
import { z } from "zod";
import { contentSchemaOf, contractOf, defineContract, jobId, jobMembers } from "./contract.ts";

test("in the JSON Schema of a contract the id can't be edited, and another member with an id can", () => {
  const contract = defineContract<{ readonly videoId: string; readonly workflow: string; readonly priority: "normal" }>(
    {
      idName: "videoId",
      schema: z.object({ videoId: jobId, ...jobMembers("fulfil"), partOf: jobId.optional() }) as never,
      ...{ secrets: [], keys: [], keysOf: () => ({}) },
    },
  );
  const { properties } = contentSchemaOf(contractOf({}, { usual: contract, usualWorkflow: "fulfil", of: {} })) as {
    readonly properties: { readonly [name: string]: object };
  };
  expect(properties["videoId"]).toMatchObject({ type: "string", readOnly: true });
  expect(properties["partOf"]).not.toHaveProperty("readOnly");
  expect(Object.keys(properties)[0]).toBe("videoId");
});
