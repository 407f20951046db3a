// The limits of Azure's services that the local stack keeps, each with its source and its test, those that it does not keep, and what is refused.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { BUS_LIMITS, BUS_LIMITS_NOT_KEPT } from "@scheduler-agent-supervisor/local/bus/limits";
import { BUS_REFUSALS } from "@scheduler-agent-supervisor/local/bus/refusals";
import { COSMOS_LIMITS, COSMOS_LIMITS_NOT_KEPT } from "@scheduler-agent-supervisor/local/cosmos/limits";
import { COSMOS_REFUSALS } from "@scheduler-agent-supervisor/local/cosmos/refusals";
import { HOST_LIMITS, HOST_LIMITS_NOT_KEPT } from "@scheduler-agent-supervisor/local/host/limits";
import { HOST_REFUSALS } from "@scheduler-agent-supervisor/local/host/refusals";
import type { Limit, Refusal, UnkeptLimit } from "@scheduler-agent-supervisor/local/limit";
import { ROOT } from "../settings.ts";

interface Service {
  readonly title: string;
  /** The object of its limits, as its tests call it. */
  readonly limits: Readonly<Record<string, Limit>>;
  readonly unkept: readonly UnkeptLimit[];
  /** The object of what is refused whatever its size, likewise. */
  readonly refusals: Readonly<Record<string, Refusal>>;
  readonly folder: string;
}

const SERVICES: readonly Service[] = [
  {
    title: "Cosmos DB",
    limits: COSMOS_LIMITS,
    unkept: COSMOS_LIMITS_NOT_KEPT,
    refusals: COSMOS_REFUSALS,
    folder: "packages/local/src/cosmos",
  },
  {
    title: "Service Bus",
    limits: BUS_LIMITS,
    unkept: BUS_LIMITS_NOT_KEPT,
    refusals: BUS_REFUSALS,
    folder: "packages/local/src/bus",
  },
  {
    title: "Azure Functions",
    limits: HOST_LIMITS,
    unkept: HOST_LIMITS_NOT_KEPT,
    refusals: HOST_REFUSALS,
    folder: "packages/local/src/host",
  },
];

export function limitsTables(): string {
  const kept = SERVICES.reduce((sum, { limits }) => sum + Object.keys(limits).length, 0);
  const all = SERVICES.reduce((sum, { unkept }) => sum + unkept.length, kept);
  const refused = SERVICES.reduce((sum, { refusals }) => sum + Object.keys(refusals).length, 0);
  const said = `**${kept} of ${all} limits are kept, and ${refused} things without a number are refused.**\n`;
  return [said, ...SERVICES.map(section)].join("\n");
}

function section({ title, limits, unkept, refusals, folder }: Service): string {
  const all = Object.values(limits);
  const usual = mostFrequent(all.map(({ answer }) => answer));
  const rows = all.map((limit) => {
    const answer = limit.answer === usual ? "" : `${limit.answer} `;
    return `| ${nounOf(limit)} | ${link(limit, bound(limit))} | ${answer}|`;
  });
  const others = unkept.map((limit) => `| ${nounOf(limit)} | ${link(limit, limit.limit)} | ${limit.instead} |`);
  const refused = Object.values(refusals).map((one) => `| ${nounOf(one)} | ${link(one, "refused")} | ${one.answer} |`);
  const links = testLinks(folder, limits, "LIMITS");
  const refusalLinks = testLinks(folder, refusals, "REFUSALS");
  const head = ["| at most, unless it says at least | limit | beyond it |", "| --- | --- | --- |"];
  const otherHead = ["| not kept | limit in Azure | here |", "| --- | --- | --- |"];
  const refusedHead = ["| what is refused | in Azure | here |", "| --- | --- | --- |"];
  const said = `Tests: ${links}. Beyond a limit, unless its row says otherwise: ${usual}.`;
  return [
    `## ${title}`,
    ...["", said, "", ...head, ...rows],
    ...["", ...otherHead, ...others],
    ...["", `### Refused by ${title}`, "", `Tests: ${refusalLinks}.`, "", ...refusedHead, ...refused, ""],
  ].join("\n");
}

function testLinks(folder: string, named: object, object: "LIMITS" | "REFUSALS"): string {
  const tests = [...new Set(Object.keys(named).map((name) => testOf(folder, `${object}.${name}.what`)))];
  return tests.map((test) => `[${test.slice(folder.length + 1)}](../../${test})`).join(", ");
}

function mostFrequent(texts: readonly string[]): string {
  const groups = [...Map.groupBy(texts, (text) => text).values()];
  return groups.sort((one, other) => other.length - one.length)[0]?.[0] ?? "";
}

/** Without its article. */
function nounOf({ what }: { readonly what: string }): string {
  return what.replace(/^(The|An?) (.)/, (_, _article, first: string) => first.toUpperCase());
}

function link({ source }: { readonly source: string }, text: string): string {
  return `[${text}](${source})`;
}

/** A test, or a group of tests, is named by what is limited or refused. */
function testOf(folder: string, title: string): string {
  const files = globSync("**/*.test.ts", { cwd: join(ROOT, folder) }).sort();
  const named = new RegExp(`(?:test\\(|describe\\(|\\[\\s*)${title.replaceAll(".", "\\.")}\\b`);
  const found = files.find((file) => named.test(readFileSync(join(ROOT, folder, file), "utf8")));
  if (!found) throw new Error(`No test in ${folder} is named ${title}`);
  return `${folder}/${found}`;
}

const UNITS = { day: 86_400_000, h: 3_600_000, min: 60_000, s: 1000 };

function bound({ value, unit, isLeast }: Limit): string {
  return `${isLeast ? "at least " : ""}${amount(value, unit)}`;
}

function amount(value: number, unit: Limit["unit"]): string {
  const plain = value.toLocaleString("en");
  if (unit === "bytes" && value % 1024 === 0) {
    return value % (1024 * 1024) === 0 ? `${value / 1024 / 1024} MB` : `${value / 1024} KB`;
  }
  if (unit !== "ms") return unit === "" ? plain : `${plain} ${unit}`;
  const [name, ms] = Object.entries(UNITS).find(([, each]) => value % each === 0) ?? ["ms", 1];
  return `${value / ms} ${name}${name === "day" && value > ms ? "s" : ""}`;
}
