// What every route for signed-in callers answers where only another version of the app can act, as after a rollback: 409 with the way out, never 500.
import { HttpRequest, InvocationContext } from "@azure/functions";
import { expect, test } from "vitest";
import type { App } from "../app/create-app.ts";
import { NewerSchema, OtherVersionNeeded } from "../domain/outage.ts";
import { MissingWorkflow } from "../domain/workflows/workflows.ts";
import { signedInFunction } from "./signed-in-function.ts";

const application = {
  operatorSignIn: "key",
  ports: () => ({}),
} as unknown as App;

function answer(cause: Error) {
  const { handler } = signedInFunction(application, {
    method: "POST",
    route: "jobs/{jobId}/steps/{step}/report",
    role: "Jobs.Operate",
    handle: () => Promise.reject(cause),
  });
  const headers = { "content-type": "application/json" };
  const request = new HttpRequest({ method: "POST", url: "http://app/api/x", headers, body: { string: "{}" } });
  return handler(request, new InvocationContext());
}

test.each([
  ["a record of a newer schema", new NewerSchema("The state record of job-1", 9, 4)],
  ["an unknown workflow", new MissingWorkflow({ name: "job-fulfilment", version: 99 })],
  ["anything else that waits for another version", new OtherVersionNeeded("deploy it")],
])("%s is 409 in words", async (_, cause) => {
  expect(await answer(cause)).toMatchObject({ status: 409, jsonBody: { reason: cause.message } });
});

test("what is a bug is not hidden", async () => {
  await expect(answer(new TypeError("a bug"))).rejects.toThrow("a bug");
});

test.each([
  ["an answer", {}, "private, no-store"],
  ["an answer with a version", { headers: { ETag: '"1"', "Cache-Control": "private, no-cache" } }, "private, no-cache"],
])("%s is kept by no cache that the next caller uses, and read as nothing but JSON", async (_, more, kept) => {
  const { handler } = signedInFunction(application, {
    ...{ method: "GET", route: "jobs", role: "Jobs.Read" },
    handle: () => Promise.resolve({ jsonBody: { paymentToken: "tok" }, ...more }),
  });
  const request = new HttpRequest({ method: "GET", url: "http://app/api/jobs" });
  expect(await handler(request, new InvocationContext())).toMatchObject({
    headers: { "Cache-Control": kept, "X-Content-Type-Options": "nosniff" },
  });
});
