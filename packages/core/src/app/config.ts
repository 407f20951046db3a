// The app's settings, parsed once: one error names every fault.

import { z } from "zod";
import type { Authentication, Endpoint } from "../agents/agent.ts";
import { START_WITHIN_MS } from "../domain/definition/workflow.ts";
import { faultsOf } from "../messaging/checked.ts";
import { QUEUES, REPLY_QUEUES } from "../messaging/queues.ts";
import { ownedQueues } from "../submission/owned-queue.ts";
import type { TelemetrySettings } from "../telemetry/exporters.ts";
import type { AgentEndpoints, Business } from "./define-app.ts";
import {
  containerOrNone,
  duration,
  endpoints,
  keptFor,
  queueName,
  SIGN_INS,
  schedule,
  serviceUrl,
  textOrNothing,
  traceUrl,
} from "./setting-types.ts";
import { unsafeSettings } from "./unsafe-settings.ts";

/** With the names from Azure and OpenTelemetry. */
const telemetry = {
  /** Application Insights; absent: nothing is sent there. */
  APPLICATIONINSIGHTS_CONNECTION_STRING: textOrNothing,
  /** `Authorization=AAD;ClientId=…`: signs in to Application Insights with the managed identity. */
  APPLICATIONINSIGHTS_AUTHENTICATION_STRING: textOrNothing,
  /** The base URL of an OTLP collector that accepts JSON over HTTP; absent: nothing is sent there. */
  OTEL_EXPORTER_OTLP_ENDPOINT: textOrNothing.pipe(serviceUrl.optional()),
  /** Milliseconds that spans and events wait until they are sent together. */
  OTEL_BSP_SCHEDULE_DELAY: z.coerce.number().int().min(10).default(5000),
  /** Milliseconds from one export of metrics to the next. */
  OTEL_METRIC_EXPORT_INTERVAL: z.coerce.number().int().min(100).default(60_000),
  /** The share of the traces that is kept. Events and metrics are always kept. */
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().gt(0).max(1).default(1),
  /** Set by the platform: the names of the app and its instance in its telemetry. */
  WEBSITE_SITE_NAME: textOrNothing,
  WEBSITE_INSTANCE_ID: textOrNothing,
};

const text = z.string().min(1);
const managedIdentity = z.enum(["managedidentity"]).optional();

/** The settings of every app; each agent of an app has one more. */
const fixed = z.object({
  /** Connection string of the Service Bus namespace; in Azure its host name and an identity instead. */
  ServiceBus: text.optional(),
  /** How to reach Service Bus with an identity: the host name, `managedidentity`, and which identity. */
  ServiceBus__fullyQualifiedNamespace: text.optional(),
  ServiceBus__credential: managedIdentity,
  ServiceBus__clientId: text.optional(),
  /** The submission queues of one sender each. */
  SubmissionQueues: ownedQueues,
  /** The queue of the agents' replies. If several hosts have their own task hubs, each needs its own queue. */
  AgentRepliesQueue: queueName.default("agent-replies"),
  /** Connection string of the Cosmos DB account; in Azure its address and an identity instead. */
  Cosmos: text.optional(),
  /** How to reach Cosmos DB with an identity: the address, `managedidentity`, and which identity. */
  Cosmos__accountEndpoint: serviceUrl.optional(),
  Cosmos__credential: managedIdentity,
  Cosmos__clientId: text.optional(),
  /** Connection string of the storage account that holds the supervisors' lease; in Azure its name or address instead. */
  AzureWebJobsStorage: text.optional(),
  /** How to reach storage with an identity: the account or its blobs' address, `managedidentity`, and which identity. */
  AzureWebJobsStorage__accountName: text.optional(),
  AzureWebJobsStorage__blobServiceUri: serviceUrl.optional(),
  AzureWebJobsStorage__credential: managedIdentity,
  AzureWebJobsStorage__clientId: text.optional(),
  /** The number of jobs that attempts should hold at once; others wait in their queue. */
  JobsInFlight: z.coerce.number().int().min(1).max(100_000).default(200),
  /** The part of these places that the jobs of one fairness key may hold while jobs of other keys are active. */
  FairShare: z.coerce.number().gt(0).max(1).default(0.5),
  /** How long a step may wait for its agent before it may be scheduled again. */
  StartWithin: duration(`PT${START_WITHIN_MS / 1000}S`),
  /** The schedule of a timer: when the supervisor sweeps, the gauges are measured, and housekeeping runs. */
  SupervisorSchedule: schedule.optional(),
  GaugesSchedule: schedule.optional(),
  HousekeepingSchedule: schedule.optional(),
  /** The time from the end of a job to the removal of all its documents. Its secrets are removed at once. */
  EndedJobsKeptFor: keptFor,
  /** How long a job that was compensated, cancelled or marked resolved can still be resubmitted unchanged, and keeps its payment token. */
  ResubmitWithin: duration("P7D"),
  /** The blob container to which jobs that are over are written first. */
  JobArchive: containerOrNone,
  /** host.json names its hub by this setting. Hosts on one bus and store need task hubs with different names. */
  TaskHub: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9]{2,44}$/, "must be 3 to 45 letters and digits, first a letter")
    .default("JobScheduler"),
  /** How the operator's API identifies its callers. */
  OperatorSignIn: z.enum(SIGN_INS).default("key"),
  /** The environment's name on each view of the console, so that operators do not confuse environments. */
  EnvironmentName: z.string().trim().min(1).max(64).default("jobs"),
  /** The address of a job's trace: `{traceId}` is replaced by its id. */
  TraceUrl: textOrNothing.pipe(traceUrl.optional()),
  /** The app's public HTTP address, for reports of steps that are done later; the host's own name if absent. */
  PublicUrl: textOrNothing.pipe(serviceUrl.optional()),
  /** The app's host name, set by the host. */
  WEBSITE_HOSTNAME: z.string().min(1).optional(),
  ...telemetry,
});

/** All settings of an app: those of every app, and the addresses of its agents' services. */
export function settingsOf({ serviceAgents }: Pick<Business, "serviceAgents">) {
  const own = serviceAgents.map(({ service: { setting, isOptional } }) => [
    setting,
    isOptional ? endpoints.optional() : endpoints,
  ]);
  // The names of an app's own settings are known only at run time: the type has those of every app.
  return fixed.extend(Object.fromEntries(own)) as unknown as typeof fixed;
}

type Fixed = z.output<typeof fixed>;

export type Config = Fixed & {
  /** The endpoints of each agent's remote service. */
  readonly endpoints: AgentEndpoints;
  /** The value of a setting whose name is in another setting. */
  readonly settingOf: (name: string) => string | undefined;
};

/** Each connection is a string, or an address for an identity. */
const CONNECTIONS = [
  ["ServiceBus", ["ServiceBus__fullyQualifiedNamespace"]],
  ["Cosmos", ["Cosmos__accountEndpoint"]],
  ["AzureWebJobsStorage", ["AzureWebJobsStorage__accountName", "AzureWebJobsStorage__blobServiceUri"]],
] as const;

function connectionFaults(given: Fixed) {
  return CONNECTIONS.flatMap(([name, addresses]) => {
    if (given[name] || addresses.some((address) => given[address])) return [];
    return [{ path: name, message: `is missing: a connection string, or for an identity ${addresses.join(" or ")}` }];
  });
}

/** The app's settings as text, by name: `process.env`. */
export type Environment = { readonly [name: string]: string | undefined };

/** @throws one error that names every setting at fault. */
export function parseConfig(environment: Environment, business: Pick<Business, "serviceAgents">): Config {
  const checked = settingsOf(business).superRefine((given, context) => {
    const faults = [
      ...connectionFaults(given),
      ...secretFaults(endpointsIn(given, business), business, environment),
      ...senderFaults(given),
      ...unsafeSettings(given, environment),
    ];
    for (const { path, message } of faults) {
      context.addIssue({ code: "custom", path: [path], message });
    }
  });
  const config: Fixed = parsed(checked, environment);
  return { ...config, endpoints: endpointsIn(config, business), settingOf: (name) => environment[name] };
}

/** A sender's own queue must not be one of the app's, and its reply queues must be among those that the app may answer on. */
function senderFaults(given: Fixed) {
  const taken: readonly string[] = [...Object.values(QUEUES), given.AgentRepliesQueue];
  const messages = given.SubmissionQueues.flatMap(({ queue, replyQueues }) => [
    ...(taken.includes(queue) ? [`${queue} has another use`] : []),
    ...replyQueues.flatMap((name) => (REPLY_QUEUES.test(name) ? [] : [`${name} is no reply queue`])),
  ]);
  return messages.map((message) => ({ path: "SubmissionQueues", message }));
}

/** The allowed characters of a header's value (RFC 9110 section 5.5), without spaces around it. */
const HEADER_VALUE = /^[\x21-\x7e]([\t\x20-\x7e]*[\x21-\x7e])?$/;

/** Settings that an endpoint sends as a header. Their values are secrets: no fault shows one. */
function secretFaults(
  agents: AgentEndpoints,
  { serviceAgents }: Pick<Business, "serviceAgents">,
  environment: Environment,
) {
  return serviceAgents.flatMap(({ name, service: { setting: path } }) =>
    (agents[name] ?? []).flatMap(({ url, authentication }) => {
      if (authentication?.kind !== "header") return [];
      const { header, setting } = authentication;
      const secret = environment[setting];
      if (!secret) return [{ path, message: `${url} wants the setting ${setting} as ${header}: it is missing` }];
      return HEADER_VALUE.test(secret) ? [] : [{ path, message: `the setting ${setting} can't be sent as a header` }];
    }),
  );
}

/** The settings of the functions' triggers, which are needed first. @throws as `parseConfig` */
export function parseTriggers(environment: Environment): Pick<Config, "SubmissionQueues" | "OperatorSignIn"> {
  return parsed(fixed.pick({ SubmissionQueues: true, OperatorSignIn: true }), environment);
}

/** The settings of telemetry, which starts first. @throws as `parseConfig` */
export function parseTelemetryConfig(environment: Environment): TelemetrySettings {
  const config = parsed(z.object(telemetry), environment);
  return {
    connectionString: config.APPLICATIONINSIGHTS_CONNECTION_STRING,
    authentication: config.APPLICATIONINSIGHTS_AUTHENTICATION_STRING,
    otlpEndpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
    sendWithinMs: config.OTEL_BSP_SCHEDULE_DELAY,
    metricsEveryMs: config.OTEL_METRIC_EXPORT_INTERVAL,
    tracesKept: config.OTEL_TRACES_SAMPLER_ARG,
    serviceName: config.WEBSITE_SITE_NAME ?? "jobs",
    instance: config.WEBSITE_INSTANCE_ID,
  };
}

function parsed<Schema extends z.ZodType>(schema: Schema, environment: Environment): z.output<Schema> {
  const parsed = schema.safeParse(environment);
  if (parsed.success) return parsed.data;
  const faults = faultsOf(parsed.error, "the settings");
  throw new Error(`These settings are at fault (local.settings.sample.json shows them all):\n  ${faults.join("\n  ")}`);
}

/** The endpoints of each agent's service. For an endpoint over https, the agent's own authentication applies if the setting has none. */
function endpointsIn(given: Fixed, { serviceAgents }: Pick<Business, "serviceAgents">): AgentEndpoints {
  const values = given as unknown as { readonly [setting: string]: readonly Endpoint[] | undefined };
  return Object.fromEntries(
    serviceAgents.map(({ name, service }) => [
      name,
      values[service.setting]?.map((endpoint) => withAuthentication(endpoint, service.authentication)),
    ]),
  );
}

export function withAuthentication(endpoint: Endpoint, usual: Authentication | undefined): Endpoint {
  return usual && endpoint.url.startsWith("https:") ? { authentication: usual, ...endpoint } : endpoint;
}
