// Which ways of signing in, and which reply queues, the app starts with.
import { expect, test } from "vitest";
import { SETTINGS, videos } from "../../tests/videos.ts";
import { QUEUES, REPLY_QUEUES, requestsQueueOf } from "../messaging/queues.ts";
import { parseConfig } from "./config.ts";

const start = (environment: Record<string, string>) => () => parseConfig({ ...SETTINGS, ...environment }, videos);

test.each([
  { WEBSITE_HOSTNAME: "jobs.azurewebsites.net" },
  { WEBSITE_SITE_NAME: "jobs" },
  { WEBSITE_POD_NAME: "pod-1" },
  { WEBSITE_SKU: "FlexConsumption" },
  { WEBSITE_OWNER_NAME: "subscription+group" },
  { WEBSITE_HOSTNAME: "127.0.0.1.example" },
])("development is rejected where %j", (environment) => {
  expect(start({ OperatorSignIn: "development", ...environment })).toThrow("OperatorSignIn: must not be development");
  expect(start({ OperatorSignIn: "key", ...environment })).not.toThrow();
});

test.each([
  {},
  { WEBSITE_HOSTNAME: "127.0.0.1:7071", WEBSITE_INSTANCE_ID: "scheduler" },
  { WEBSITE_HOSTNAME: "localhost:7071" },
])("development is taken on one's own machine: %j", (environment) =>
  expect(start({ OperatorSignIn: "development", ...environment })).not.toThrow(),
);

test.each([
  {},
  { WEBSITE_AUTH_ENABLED: "False" },
  { WEBSITE_AUTH_ENABLED: "" },
  { WEBSITE_AUTH_V2_CONFIG_JSON: '{"platform":{"enabled":false}}' },
  { WEBSITE_AUTH_V2_CONFIG_JSON: "{" },
  { WEBSITE_AUTH_AAD_ALLOWED_TENANTS: "tenant" },
])("entra is rejected where built-in authentication is off: %j", (environment) =>
  expect(start({ OperatorSignIn: "entra", ...environment })).toThrow("OperatorSignIn: must not be entra"),
);

test.each([{ WEBSITE_AUTH_ENABLED: "True" }, { WEBSITE_AUTH_V2_CONFIG_JSON: '{"platform":{"enabled":true}}' }])(
  "entra is taken where it is on: %j",
  (environment) => expect(start({ OperatorSignIn: "entra", ...environment })).not.toThrow(),
);

test("no queue that the app receives from is called as reply queues are: what it says of a job would come to itself", () => {
  expect(start({ AgentRepliesQueue: "replies-agents" })).toThrow(
    "AgentRepliesQueue: replies-agents must not be called",
  );
  const tea = { queue: "replies-tea", owner: "tea", idPrefix: "tea-", replyQueues: ["replies-shop"] };
  expect(start({ SubmissionQueues: JSON.stringify([tea]) })).toThrow(
    "SubmissionQueues: replies-tea must not be called",
  );
  expect(start({ SubmissionQueues: JSON.stringify([{ ...tea, queue: "jobs-tea" }]) })).not.toThrow();
  const own = [...Object.values(QUEUES), ...[...videos.knownAgents.keys()].map(requestsQueueOf)];
  expect(own.filter((queue) => REPLY_QUEUES.test(queue))).toEqual([]);
});

test.each(["Cosmos__accountEndpoint", "AzureWebJobsStorage__blobServiceUri", "OTEL_EXPORTER_OTLP_ENDPOINT"])(
  "%s is https, but on this machine, and names no user",
  (name) => {
    expect(start({ [name]: "http://elsewhere.example" })).toThrow(`${name}: must be https`);
    expect(start({ [name]: "https://me:secret@elsewhere.example" })).toThrow(`${name}: must not name a user`);
    expect(start({ [name]: "https://elsewhere.example" })).not.toThrow();
    expect(start({ [name]: "http://127.0.0.1:4318" })).not.toThrow();
  },
);
