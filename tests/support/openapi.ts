// Holds real answers against an OpenAPI document.
import { z } from "zod";

interface Operation {
  readonly responses: {
    readonly [status: string]: { readonly content: { readonly "application/json": { readonly schema: object } } };
  };
}

export interface OpenApi {
  readonly openapi: string;
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } };
  readonly components: { readonly schemas: { readonly [name: string]: object } };
}

/** Its operations, as `GET api/jobs/{orderId}`. */
export function operationsOf({ paths }: OpenApi): string[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.slice(1)}`),
  );
}

/** @throws what of the answer is not as the document says */
export function holdAgainst(document: OpenApi, method: string, address: string, status: number, body: unknown): void {
  const path = address.replace(/\?.*/, "");
  const found = Object.entries(document.paths)
    .filter(([template]) =>
      new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+").replaceAll(".", "\\.")}$`).test(path),
    )
    // A path without a parameter goes before one with it.
    .sort(([one], [other]) => one.split("{").length - other.split("{").length)
    .flatMap(([, methods]) => methods[method.toLowerCase()] ?? [])[0];
  const schema = found?.responses[status]?.content["application/json"].schema;
  if (!schema) throw new Error(`the document has no ${method} ${path} with ${status}`);
  const whole = { ...schema, $defs: document.components.schemas };
  const checked = z.fromJSONSchema(JSON.parse(JSON.stringify(whole).replaceAll("#/components/schemas/", "#/$defs/")));
  const { error } = checked.safeParse(body);
  if (error) throw new Error(`${method} ${path}, ${status}: ${z.prettifyError(error)}\n${JSON.stringify(body)}`);
}
