// Every setting of the app: what its docstring in the code says, and what it is without a value.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { settingsOf } from "@scheduler-agent-supervisor/core/app";
import { z } from "zod";
import { business } from "../../shared/business.ts";
import { ROOT } from "../settings.ts";

export function settingsTable(): string {
  const meanings = new Map([...docstrings(), ...ofServices()]);
  const rows = Object.keys(settingsOf(business).shape).map((name) => {
    const value = defaultOf(name);
    return `| \`${name}\` | ${meanings.get(name) ?? ""} | ${value ? `${value} ` : ""}|`;
  });
  return ["| setting | meaning | default |", "| --- | --- | --- |", ...rows].join("\n");
}

/** In the code each setting stands in a line of its own, below its docstring; one without has that of the setting above. */
function docstrings(): [name: string, meaning: string][] {
  const source = readFileSync(join(ROOT, "packages/core/src/app/config.ts"), "utf8");
  let meaning = "";
  return source.split("\n").flatMap((line) => {
    const [, said, name] = /^ {2}(?:\/\*\* (.+) \*\/|([A-Z]\w+):.*)$/.exec(line) ?? [];
    if (said) meaning = said;
    return name ? [[name, meaning]] : [];
  });
}

function ofServices(): [name: string, meaning: string][] {
  return business.serviceAgents.map(({ name, service }) => [
    service.setting,
    `The addresses of the service of the agent \`${name}\`${service.isOptional ? ", optional" : ""}.`,
  ]);
}

/** As it would be written, not as it is read. */
export function defaultOf(name: string): string {
  const schema = (settingsOf(business).shape as { readonly [name: string]: z.ZodType | undefined })[name];
  if (!schema) return "";
  const { default: value } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return value === undefined ? "" : `\`${String(value)}\``;
}
