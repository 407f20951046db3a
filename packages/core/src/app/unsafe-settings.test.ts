// Which ways of signing in, and which reply queues, the app starts with.
import { expect, test } from "vitest";
import { SETTINGS, videos } from "../../tests/videos.ts";
import { parseConfig } from "./config.ts";
import { unsafeSettings } from "./unsafe-settings.ts";

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

test.each([
  [".*", "jobs, jobs-priority, scheduler, quarantine, agent-replies"],
  ["^agent-", "agent-replies, agent-requests-"],
  ["replies", "agent-replies"],
  ["^quarantine$|^replies-", "quarantine"],
])("a reply pattern %s that one of the app's own queues matches is rejected", (pattern, named) => {
  expect(start({ ReplyQueuePattern: pattern })).toThrow(`ReplyQueuePattern: must not match the app's own ${named}`);
});

test("nor may it match a sender's own queue", () => {
  const given = { ...parseConfig(SETTINGS, videos), SubmissionQueues: [{ queue: "jobs-tea" }] };
  const matching = (pattern: RegExp) =>
    unsafeSettings({ ...given, ReplyQueuePattern: pattern }, videos.knownAgents, {});
  expect(matching(/-tea$/)).toMatchObject([{ message: expect.stringContaining("jobs-tea") }]);
  expect(matching(/^replies-/)).toEqual([]);
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
