// What the HTTP functions for operators have in common: who may call them, and how faults are answered.
import {
  app,
  type HttpMethod,
  type HttpRequest,
  type HttpResponseInit,
  type InvocationContext,
} from "@azure/functions";
import { ports } from "../../shared/compose.ts";
import { NewerSchema } from "../../shared/domain/newer-schema.ts";
import { accessTo, type Role } from "../../shared/messaging/operator-access.ts";

export interface OperatorEndpoint {
  readonly method: HttpMethod;
  readonly route: string;
  readonly role: Role;
  /** @param operator the name under which what is done goes on record */
  readonly handle: (request: HttpRequest, context: InvocationContext, operator: string) => Promise<HttpResponseInit>;
}

/** Where people sign in, nobody has a key to send along. */
const authLevel = process.env["OperatorSignIn"] === "entra" ? "anonymous" : "function";

export function operatorEndpoint(name: string, { method, route, role, handle }: OperatorEndpoint): void {
  app.http(name, {
    methods: [method],
    authLevel,
    route,
    handler: async (request, context) => {
      const access = accessTo(role, request.headers, ports().operatorSignIn);
      if (access.kind === "refused") return { status: access.status, jsonBody: { error: access.error } };
      try {
        return await handle(request, context, access.operator);
      } catch (cause) {
        if (cause instanceof NewerSchema) return { status: 409, jsonBody: { reason: cause.message } };
        throw cause;
      }
    },
  });
}

/** A page of another site can send a form in a signed-in operator's name, but no JSON. */
export function isJson(request: HttpRequest): boolean {
  return /^application\/json\b/i.test(request.headers.get("content-type") ?? "");
}

export const NOT_JSON: HttpResponseInit = {
  status: 415,
  jsonBody: { error: "The content type must be application/json." },
};

export function atFault(faults: readonly string[]): HttpResponseInit {
  return { status: 400, jsonBody: { error: "The request is at fault.", faults } };
}
