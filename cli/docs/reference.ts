// What of the reference is made of the code: what each setting is without a value, the limits, and for the site the operator API's routes and the packages' API.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { settingsOf } from "@scheduler-agent-supervisor/core/internal/app/config";
import { openApi } from "@scheduler-agent-supervisor/operator/internal/openapi/document";
import { z } from "zod";
import { business } from "../../shared/business.ts";
import { apiPages } from "./api/pages.ts";
import { limitsPage } from "./limits.ts";
import { DOCS } from "./pages.ts";

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

/** Page → what it is with its tables made anew. */
const WRITTEN: { readonly [page: string]: (text: string) => string } = {
  "reference/settings.md": withDefaults,
  "reference/limits.md": limitsPage,
};

/** Made whole for the site, and not kept in git. */
const API = join(DOCS, "reference/api");

/** The pages whose tables are not what the code says. */
export function staleReference(): string[] {
  return madeTables().flatMap(([page, text]) => (textOf(page) === text ? [] : [page]));
}

export function writeReference(): void {
  for (const [page, text] of madeTables()) writeFileSync(join(DOCS, page), text);
}

/** The packages have to be compiled. */
export function writeApi(): void {
  rmSync(API, { recursive: true, force: true });
  mkdirSync(API, { recursive: true });
  for (const [page, text] of [...apiPages(), ["operator-routes.md", routesPage()] as const])
    writeFileSync(join(API, page), text);
}

function madeTables(): [page: string, text: string][] {
  return Object.entries(WRITTEN).map(([page, write]) => [page, write(textOf(page))]);
}

function textOf(page: string): string {
  return readFileSync(join(DOCS, page), "utf8");
}

/** The routes of the operator API, as its OpenAPI document has them. */
export function routesPage(): string {
  const { paths } = openApi() as unknown as { paths: { [path: string]: { [method: string]: Operation } } };
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const query = operation.parameters.filter((one) => one.in === "query").map(({ name }) => `\`${name}\``);
      const isConditional = operation.parameters.some(({ name }) => name === "If-Match");
      const takes = [...query, ...membersOf(operation), ...(isConditional ? ["If-Match"] : [])].join(", ");
      return `| \`${method.toUpperCase()} ${path}\` | ${takes ? `${takes} ` : ""}| ${operation.summary} |`;
    }),
  );
  return `# Routes of the operator API

Made of the [operator API](../operator-api.md)'s OpenAPI document. A GET takes query parameters, a POST members of its body; a question mark marks an optional member.

| request | takes | does |
| --- | --- | --- |
${rows.join("\n")}
`;
}

/** The body's members; with a question mark those that may be left out. */
function membersOf({ requestBody }: Operation): string[] {
  const schema = requestBody?.content["application/json"].schema ?? {};
  const variants = schema.anyOf ?? schema.oneOf ?? [schema];
  const names = [...new Set(variants.flatMap(({ properties = {} }) => Object.keys(properties)))];
  const isNeeded = (name: string) => variants.every(({ required = [] }) => required.includes(name));
  return names.map((name) => `\`${name}\`${isNeeded(name) ? "" : "?"}`);
}

const DEFAULT_AT = 4;

/** Name, meaning, in Azure, default, limits and notes: the fourth is made. */
function withDefaults(text: string): string {
  const [before = "", after = ""] = text.split("\n## Settings\n");
  const lines = after.split("\n").map((line) => {
    const cells = line.split("|");
    const name = /^ `(\w+)` $/.exec(cells[1] ?? "")?.[1];
    // The tables of the agents' services have no default.
    if (name && cells.length > DEFAULT_AT + 1) cells[DEFAULT_AT] = ` ${defaultOf(name)} `.replace("  ", " ");
    return cells.join("|");
  });
  return `${before}\n## Settings\n${lines.join("\n")}`;
}

/** As it would be written, not as it is read. */
function defaultOf(name: string): string {
  const schema = (settingsOf(business).shape as { readonly [name: string]: z.ZodType | undefined })[name];
  if (!schema) return "";
  const { default: value } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return value === undefined ? "" : `\`${String(value)}\``;
}
