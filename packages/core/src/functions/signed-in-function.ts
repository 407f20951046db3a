// The common part of the HTTP functions for callers who sign in, requesters and operators: authorisation, and the answers to requests at fault.

import type {
  FunctionInput,
  HttpFunctionOptions,
  HttpMethod,
  HttpRequest,
  HttpResponseInit,
  InvocationContext,
} from "@azure/functions";
import type { App } from "../app/create-app.ts";
import { OtherVersionNeeded } from "../domain/outage.ts";
import { nounOf } from "../messaging/contract.ts";
import { isNotStorable } from "../store/cosmos-answers.ts";
import { reasonOf } from "../store/job-store.ts";
import { outgoing } from "../telemetry/outgoing.ts";
import { accessTo, isOwnOrigin, type Role } from "./sign-in.ts";

export interface ApiRoute {
  readonly method: HttpMethod;
  /** Under `api/`: the app has no route prefix, because the console has routes next to the API. */
  readonly route: string;
  readonly role: Role;
  /** Further inputs of the function, such as the durable client. */
  readonly extraInputs?: FunctionInput[];
  /** @param caller the name in the records of the action */
  readonly handle: (request: HttpRequest, context: InvocationContext, caller: string) => Promise<HttpResponseInit>;
}

/** By the name of the function. */
export type ApiRoutes = { readonly [name: string]: ApiRoute };

/** By name, as `app.http` takes them. */
export type HttpFunctions = readonly (readonly [name: string, options: HttpFunctionOptions])[];

export function signedInFunctions(application: App, endpoints: ApiRoutes): HttpFunctions {
  return Object.entries(endpoints).map(([name, endpoint]) => [name, signedInFunction(application, endpoint)]);
}

/** As an HTTP function: authorisation comes first. */
export function signedInFunction(
  application: App,
  { method, route, role, extraInputs, handle }: ApiRoute,
): HttpFunctionOptions {
  return {
    methods: [method],
    // With sign-in, a caller has no key to send.
    authLevel: application.operatorSignIn === "entra" ? "anonymous" : "function",
    route: `api/${route}`,
    ...(extraInputs && { extraInputs }),
    handler: async (request, context) => keptFromOthers(await answerOf(request, context)),
  };

  async function answerOf(request: HttpRequest, context: InvocationContext): Promise<HttpResponseInit> {
    if (method !== "GET" && !isOwnOrigin(request.headers)) return OTHER_SITE;
    // With faults in its settings the app does nothing for anybody: this throws, and names them all.
    application.ports();
    const access = accessTo(role, request.headers, application.operatorSignIn);
    if (access.kind === "rejected") return { status: access.status, jsonBody: { error: access.error } };
    if (method !== "GET" && !isJson(request)) return NOT_JSON;
    try {
      const answer = await handle(request, context, access.operator);
      return answer.jsonBody === undefined ? answer : { ...answer, jsonBody: outgoing(answer.jsonBody) };
    } catch (cause) {
      // A newer record, or a workflow that this version does not have: as after a rollback.
      if (cause instanceof OtherVersionNeeded) return { status: 409, jsonBody: { reason: cause.message } };
      // Of any store: a note, a bulk run or a pause too.
      if (method !== "GET" && isNotStorable(cause)) return atFault([`the store refuses it: ${reasonOf(cause)}`]);
      throw cause;
    }
  }
}

/** An answer is for its caller alone: no cache between them keeps it, for the next caller may have another role, and no page reads it as a script. */
function keptFromOthers(answer: HttpResponseInit): HttpResponseInit {
  const own = answer.headers as { readonly [name: string]: string } | undefined;
  return { ...answer, headers: { "Cache-Control": "private, no-store", "X-Content-Type-Options": "nosniff", ...own } };
}

/** A page of another site can send a form in a signed-in operator's name, but no JSON: this check works if a browser sends no origin. */
function isJson(request: HttpRequest): boolean {
  return /^application\/json\b/i.test(request.headers.get("content-type") ?? "");
}

const NOT_JSON: HttpResponseInit = {
  status: 415,
  jsonBody: { error: "The content type must be application/json." },
};

const OTHER_SITE: HttpResponseInit = {
  status: 403,
  jsonBody: { error: "A page of another site may not do this." },
};

/** All faults at once. */
export function atFault(faults: readonly string[]): HttpResponseInit {
  return { status: 400, jsonBody: { error: "The request is at fault.", faults } };
}

/** In the app's own noun: operators and requesters read it. @param whose what narrows it, such as `of yours` */
export function noSuchJob(jobId: string, application: App, whose?: string): HttpResponseInit {
  const which = [nounOf(application.ports().rules.contracts), jobId, ...(whose ? [whose] : [])].join(" ");
  return { status: 404, jsonBody: { error: `There is no ${which}.` } };
}
