// Every choice of a deployment: what its parameter's description in infra/main.bicep says, its values, and what it is without one.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../settings.ts";

interface Parameter {
  readonly name: string;
  readonly type: string;
  /** As Bicep writes it; undefined: it has to be given. */
  readonly usual: string | undefined;
  /** By name, with what stands between the parentheses. */
  readonly decorators: ReadonlyMap<string, string>;
}

const read = (file: string) => readFileSync(join(ROOT, file), "utf8");

/** The parameters of a template, with the decorators above each. */
function parametersOf(template: string): Parameter[] {
  const decorators = new Map<string, string>();
  return template.split("\n").flatMap((line) => {
    const [, decorator, content = ""] = /^@(\w+)\((.*)\)$/.exec(line) ?? [];
    if (decorator) decorators.set(decorator, content);
    const [, name, type = "", usual] = /^param (\w+) (\S+)(?: = (.+))?$/.exec(line) ?? [];
    if (!name) return [];
    const parameter = { name, type, usual, decorators: new Map(decorators) };
    decorators.clear();
    return [parameter];
  });
}

/** A text as Bicep quotes it. */
const unquoted = (text: string) => text.replaceAll(/^'|'$/g, "").replaceAll("\\'", "'");
/** Where it is no code, the site would take it for an element. */
const escaped = (text: string) => text.replaceAll("<", "\\<");
const code = (text: string) => `\`${unquoted(text)}\``;

function valuesOf({ type, decorators }: Parameter): string {
  const allowed = decorators.get("allowed");
  if (allowed !== undefined) return allowed.slice(1, -1).split(", ").map(code).join(", ");
  if (type === "bool") return "`true`, `false`";
  const [least, most] = ["minValue", "maxValue"].map((name) => decorators.get(name));
  if (least === undefined) return "";
  return most === undefined ? `from ${least}` : `${least} to ${most}`;
}

export function choicesTable(): string {
  const given = read("infra/main.parameters.json").matchAll(/"(\w+)": \{ "value": "\$\{(?!AZURE_)(\w+)\}" \}/g);
  const choices = new Map([...given].map(([, parameter = "", choice = ""]) => [parameter, choice]));
  const rows = parametersOf(read("infra/main.bicep")).flatMap((parameter) => {
    const choice = choices.get(parameter.name);
    if (choice === undefined) return [];
    const { usual = "''", decorators } = parameter;
    const cells = [
      `\`${choice}\``,
      escaped(unquoted(decorators.get("description") ?? "")),
      valuesOf(parameter),
      usual === "''" ? "" : code(usual),
    ];
    return [`| ${cells.join(" | ")} |`.replaceAll("|  |", "| |").replaceAll("|  |", "| |")];
  });
  return ["| choice | meaning | values | default |", "| --- | --- | --- | --- |", ...rows].join("\n");
}
