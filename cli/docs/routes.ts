// Every route of the operator API, with what a request takes: of its query, of its body, and If-Match.
import { openApi } from "@scheduler-agent-supervisor/operator/openapi";

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
}
interface Operation {
  readonly summary: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: { readonly "application/json": { readonly schema: Schema } } };
}
interface Schema {
  readonly properties?: { readonly [name: string]: unknown };
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** The routes of the operator API, as its OpenAPI document has them. */
export function routesTable(): string {
  const { paths } = openApi() as unknown as { paths: { [path: string]: { [method: string]: Operation } } };
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const query = operation.parameters.filter((one) => one.in === "query").map(({ name }) => `\`${name}\``);
      const isConditional = operation.parameters.some(({ name }) => name === "If-Match");
      const takes = [...query, ...membersOf(operation), ...(isConditional ? ["If-Match"] : [])].join(", ");
      return `| \`${method.toUpperCase()} ${path}\` | ${takes ? `${takes} ` : ""}| ${operation.summary} |`;
    }),
  );
  return ["| request | takes | does |", "| --- | --- | --- |", ...rows].join("\n");
}

/** The body's members; with a question mark those that may be left out. */
function membersOf({ requestBody }: Operation): string[] {
  const schema = requestBody?.content["application/json"].schema ?? {};
  const variants = schema.anyOf ?? schema.oneOf ?? [schema];
  const names = [...new Set(variants.flatMap(({ properties = {} }) => Object.keys(properties)))];
  const isNeeded = (name: string) => variants.every(({ required = [] }) => required.includes(name));
  return names.map((name) => `\`${name}\`${isNeeded(name) ? "" : "?"}`);
}
