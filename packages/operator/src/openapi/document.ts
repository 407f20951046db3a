// The operator's API as an OpenAPI document, generated from its schemas.
import { z } from "zod";
import * as contract from "../contract.ts";
import * as answers from "./answers.ts";
import { type ApiOperation, OPERATIONS } from "./operations.ts";

interface JsonSchema {
  readonly [member: string]: unknown;
}

const SCHEMAS = "#/components/schemas/";
const ABOUT =
  "What operators see and do. GET takes the role Jobs.Read, POST Jobs.Operate, and submissions Jobs.Submit; an app without sign-in takes a function key. " +
  "Answers may get further members.";

/** @see OpenAPI Specification 3.1.1: its schemas are JSON Schema 2020-12, as zod generates them */
export function openApi(): JsonSchema {
  const { named, schemas } = components();
  const paths: { [path: string]: { [method: string]: JsonSchema } } = {};
  for (const [route, operation] of Object.entries(OPERATIONS)) {
    const [method = "", path = ""] = route.split(" ");
    const address = `/api/${path}`;
    paths[address] = { ...paths[address], [method.toLowerCase()]: operationOf(method, path, operation, named) };
  }
  return {
    openapi: "3.1.1",
    info: { title: "Operator's API", version: "1", description: ABOUT },
    security: [{ signIn: [] }, { functionKey: [] }],
    paths,
    components: {
      schemas,
      securitySchemes: {
        signIn: { type: "http", scheme: "bearer", description: "A token of Entra ID" },
        functionKey: { type: "apiKey", in: "header", name: "x-functions-key" },
      },
    },
  };
}

type Names = ReadonlyMap<z.ZodType, string>;

/** Each schema of an answer under its name; common parts are references. */
function components(): { readonly named: Names; readonly schemas: JsonSchema } {
  const registry = z.registry<{ id: string }>();
  const named = new Map<z.ZodType, string>();
  for (const [name, schema] of Object.entries({ ...contract, ...answers })) {
    if (!(schema instanceof z.ZodType) || named.has(schema)) continue;
    const id = name.charAt(0).toUpperCase() + name.slice(1);
    registry.add(schema, { id });
    named.set(schema, id);
  }
  const made = z.toJSONSchema(registry, { io: "input", uri: (id) => `${SCHEMAS}${id}` });
  return {
    named,
    schemas: Object.fromEntries(Object.entries(made.schemas).map(([id, schema]) => [id, plain(schema)])),
  };
}

/** The reference to a part of a document. */
function plain({ $schema: _schema, $id: _id, ...rest }: JsonSchema): JsonSchema {
  return rest;
}

/** The schema of a request: further members are rejected, as in the contracts. */
const sent = (schema: z.ZodType): JsonSchema => plain(z.toJSONSchema(schema, { io: "input" }) as JsonSchema);

function operationOf(method: string, path: string, operation: ApiOperation, named: Names): JsonSchema {
  const { summary, query, body, isConditional, status = 200, answer, rejection = answers.rejection } = operation;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const changes = method === "POST";
  const answersWith = (schema: z.ZodType, description: string) => {
    const id = named.get(schema);
    if (!id) throw new Error(`the answer of ${method} ${path} has no name`);
    return { description, content: { "application/json": { schema: { $ref: `${SCHEMAS}${id}` } } } };
  };
  return {
    operationId: operationId(method, path),
    summary,
    parameters: [
      ...inPath.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } })),
      ...(query ? queryParameters(sent(query)) : []),
      ...(isConditional ? [{ name: "If-Match", in: "header", schema: { type: "string" } }] : []),
    ],
    ...(changes && {
      requestBody: {
        required: true,
        content: { "application/json": { schema: body ? sent(body) : { type: "object" } } },
      },
    }),
    responses: {
      [status]: answersWith(answer, "Done"),
      400: answersWith(answers.faults, "Every fault of the request"),
      401: answersWith(answers.failure, "Not signed in"),
      403: answersWith(answers.failure, "Without the role, or from a page of another site"),
      ...((inPath.length > 0 || changes || operation.mayBeMissing) && {
        404: answersWith(answers.failure, "Not found"),
      }),
      ...(changes && {
        409: answersWith(rejection, "Not possible as things stand"),
        415: answersWith(answers.failure, "The body is not JSON"),
      }),
      ...(isConditional && { 412: answersWith(answers.failure, "At another version than If-Match names") }),
    },
  };
}

/** `getJobsJobId`. */
function operationId(method: string, path: string): string {
  const words = path.split(/[^A-Za-z]+/).filter(Boolean);
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

function queryParameters({ properties = {}, required = [] }: JsonSchema): JsonSchema[] {
  return Object.entries(properties as JsonSchema).map(([name, schema]) => ({
    name,
    in: "query",
    required: (required as string[]).includes(name),
    schema,
  }));
}
