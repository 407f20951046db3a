// The files, and the parts of files, that follow from the agents' declarations: `npm run agents -- --write` writes them.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ServiceAgent } from "@scheduler-agent-supervisor/core/agents";
import { ROOT } from "../every-app/root.ts";

type Write = (text: string, agents: readonly ServiceAgent[]) => string;

/** The choice of azd that an agent's setting is given by: `CAR_ENDPOINTS` for `CarEndpoints`. */
export const choiceFor = (setting: string): string => setting.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toUpperCase();

/** A setting of this form is an agent's: so entries of an agent that is gone are found. */
export const AGENT_SETTING = /^[A-Z][A-Za-z0-9]*Endpoints$/;

/** Each with what it is for these agents. A writer throws where the file has lost the place that is written. */
export const GENERATED: { readonly [file: string]: Write } = {
  "local.settings.sample.json": localSettings,
  "infra/entities/agents.json": bicepList,
  "infra/main.parameters.json": parameters,
  "infra/checks/production.bicepparam": addresses(() => "invalid"),
  "infra/choices/main.bicepparam": addresses(({ service: { isOptional } }) => (isOptional ? undefined : "example")),
  "azure.yaml": pipelineVariables,
  "docs/reference/settings.md": settingsPage,
};

const read = (file: string) => readFileSync(join(ROOT, file), "utf8");

/** The files that are not what the agents' declarations say. */
export function staleFiles(agents: readonly ServiceAgent[]): string[] {
  return Object.entries(GENERATED).flatMap(([file, write]) => {
    // An app that `npm run new` made has no page of its settings.
    if (!existsSync(join(ROOT, file))) return [];
    const text = read(file);
    return write(text, agents) === text ? [] : [file];
  });
}

/** Writes those that are stale, and returns their names. */
export function writeGenerated(agents: readonly ServiceAgent[]): string[] {
  const stale = staleFiles(agents);
  for (const file of stale) writeFileSync(join(ROOT, file), GENERATED[file]?.(read(file), agents) ?? "");
  return stale;
}

function localSettings(text: string, agents: readonly ServiceAgent[]): string {
  const file = JSON.parse(text) as { readonly Values: Readonly<Record<string, string>> };
  const all = Object.entries(file.Values);
  const first = all.findIndex(([name]) => AGENT_SETTING.test(name));
  const others = all.filter(([name]) => !AGENT_SETTING.test(name));
  others.splice(first < 0 ? others.length : first, 0, ...agents.map(({ service }) => entryOf(service)));
  return asJson({ ...file, Values: Object.fromEntries(others) });
}

const entryOf = ({ setting, local }: ServiceAgent["service"]): [string, string] => [setting, local];

/** What infra/app/function-app.bicep reads: the compiler wants the members of each entry to be the same. */
function bicepList(_: string, agents: readonly ServiceAgent[]): string {
  return asJson(
    agents.map(({ name, service: { setting, isOptional = false } }) => {
      return { name, setting, choice: choiceFor(setting), optional: isOptional };
    }),
  );
}

function parameters(text: string, agents: readonly ServiceAgent[]): string {
  const members = agents.map(({ name, service }) => `        "${name}": "\${${choiceFor(service.setting)}}"`);
  return replaced(text, /("agentEndpoints": \{\n {6}"value": \{\n)[\s\S]*?(\n {6}\}\n)/, members.join(",\n"));
}

/** @param domain of an agent's address; undefined: its service is gone without */
function addresses(domain: (agent: ServiceAgent) => string | undefined): Write {
  return (text, agents) => {
    const members = agents.map((agent) => {
      const end = domain(agent);
      return `  ${agent.name}: '${end === undefined ? "" : `https://${agent.name.toLowerCase()}.${end}`}'`;
    });
    return replaced(text, /(^param agentEndpoints = \{\n)[\s\S]*?(\n\}\n)/m, members.join("\n"));
  };
}

function pipelineVariables(text: string, agents: readonly ServiceAgent[]): string {
  const names = agents.map(({ service }) => `    - ${choiceFor(service.setting)}\n`);
  return replaced(text, /(^ {4}- PARTY_PRINCIPALS\n)(?: {4}- \w+_ENDPOINTS\n)*()/m, names.join(""));
}

const CHOICES = /(<!-- npm run agents -- --write: choices -->\n)[\s\S]*?(\n<!-- end -->)/;

function settingsPage(text: string, agents: readonly ServiceAgent[]): string {
  const choices = agents.map(({ name, service: { setting, isOptional } }) => {
    return `| \`${choiceFor(setting)}\` | \`${name}\`${isOptional ? ", optional" : ""} |`;
  });
  return replaced(text, CHOICES, ["| name | agent |", "| --- | --- |", ...choices].join("\n"));
}

/** What stands between the two groups of `place` anew. @throws where the text has no such place */
function replaced(text: string, place: RegExp, by: string): string {
  if (!place.test(text)) throw new Error(`There is no place for what follows from the agents: ${place.source}`);
  return text.replace(place, (_, before: string, after: string) => `${before}${by}${after}`);
}

const asJson = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
