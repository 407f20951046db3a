// Well-formed settings that would allow unauthorised callers: the app does not start with them.

import { REPLY_QUEUES } from "../messaging/queues.ts";
import { isThisMachine } from "../scheduler/steps/completion.ts";
import type { OperatorSignIn } from "./setting-types.ts";

type Environment = { readonly [name: string]: string | undefined };

interface Given {
  readonly OperatorSignIn: OperatorSignIn;
  readonly AgentRepliesQueue: string;
  /** Queues of one sender each. */
  readonly SubmissionQueues?: readonly { readonly queue: string }[];
}

export interface UnsafeSetting {
  readonly path: string;
  readonly message: string;
}

export function unsafeSettings(given: Given, environment: Environment): readonly UnsafeSetting[] {
  return [...signInFaults(given, environment), ...replyQueueFaults(given)];
}

/** Azure sets these on every instance ("Environment variables and app settings in Azure App Service"); a local host never does. */
const OF_AZURE = [
  "WEBSITE_SITE_NAME",
  "WEBSITE_OWNER_NAME",
  "WEBSITE_RESOURCE_GROUP",
  "WEBSITE_SKU",
  "WEBSITE_POD_NAME",
  "WEBSITE_STAMP_DEPLOYMENT_ID",
];

function signInFaults({ OperatorSignIn: signIn }: Given, environment: Environment): UnsafeSetting[] {
  const path = "OperatorSignIn";
  if (signIn === "development" && isInAzure(environment)) {
    return [{ path, message: "must not be development in Azure: whoever reaches the app could act as any operator" }];
  }
  if (signIn === "entra" && !hasBuiltInAuthentication(environment)) {
    const message = "must not be entra while built-in authentication is off: whoever calls could write their own roles";
    return [{ path, message }];
  }
  return [];
}

function isInAzure(environment: Environment): boolean {
  return OF_AZURE.some((name) => environment[name]) || !isThisMachine(environment["WEBSITE_HOSTNAME"] ?? "localhost");
}

/**
 * Without it, an `x-ms-client-principal` that a caller sent is not removed. The platform reports whether it is on, in one of two variables
 * ("Environment variables and app settings in Azure App Service", authentication & authorization).
 */
function hasBuiltInAuthentication(environment: Environment): boolean {
  if (/^(true|1)$/i.test(environment["WEBSITE_AUTH_ENABLED"] ?? "")) return true;
  try {
    const config = JSON.parse(environment["WEBSITE_AUTH_V2_CONFIG_JSON"] ?? "null") as {
      readonly platform?: { readonly enabled?: unknown };
    } | null;
    return config?.platform?.enabled === true;
  } catch {
    return false;
  }
}

/** Otherwise a sender of a job could direct the app's status messages to a queue that the app itself receives from. */
function replyQueueFaults({ AgentRepliesQueue, SubmissionQueues = [] }: Given): UnsafeSetting[] {
  const own = [
    { path: "AgentRepliesQueue", queue: AgentRepliesQueue },
    ...SubmissionQueues.map(({ queue }) => ({ path: "SubmissionQueues", queue })),
  ];
  const named = own.filter(({ queue }) => REPLY_QUEUES.test(queue));
  return named.map(({ path, queue }) => ({
    path,
    message: `${queue} must not be called as senders' reply queues are`,
  }));
}
