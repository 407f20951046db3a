// The limits of Azure's services that the local stack keeps, each with its source and its test, those that it does not keep, and what is rejected.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { BUS_LIMITS, BUS_LIMITS_NOT_KEPT } from "@scheduler-agent-supervisor/local/bus/limits";
import { BUS_REJECTIONS } from "@scheduler-agent-supervisor/local/bus/rejections";
import { COSMOS_LIMITS, COSMOS_LIMITS_NOT_KEPT } from "@scheduler-agent-supervisor/local/cosmos/limits";
import { COSMOS_REJECTIONS } from "@scheduler-agent-supervisor/local/cosmos/rejections";
import { HOST_LIMITS, HOST_LIMITS_NOT_KEPT } from "@scheduler-agent-supervisor/local/host/limits";
import { HOST_REJECTIONS } from "@scheduler-agent-supervisor/local/host/rejections";
import type { Limit, Rejection, UnkeptLimit } from "@scheduler-agent-supervisor/local/limit";
import { ROOT } from "../settings.ts";

interface Service {
  readonly title: string;
  /** The object of its limits, as its tests call it. */
  readonly limits: Readonly<Record<string, Limit>>;
  readonly unkept: readonly UnkeptLimit[];
  /** The object of what is rejected whatever its size, likewise. */
  readonly rejections: Readonly<Record<string, Rejection>>;
  readonly folder: string;
}

const SERVICES: readonly Service[] = [
  {
    title: "Cosmos DB",
    limits: COSMOS_LIMITS,
    unkept: COSMOS_LIMITS_NOT_KEPT,
    rejections: COSMOS_REJECTIONS,
    folder: "packages/local/src/cosmos",
  },
  {
    title: "Service Bus",
    limits: BUS_LIMITS,
    unkept: BUS_LIMITS_NOT_KEPT,
    rejections: BUS_REJECTIONS,
    folder: "packages/local/src/bus",
  },
  {
    title: "Azure Functions",
    limits: HOST_LIMITS,
    unkept: HOST_LIMITS_NOT_KEPT,
    rejections: HOST_REJECTIONS,
    folder: "packages/local/src/host",
  },
];

export function limitsTables(): string {
  const kept = SERVICES.reduce((sum, { limits }) => sum + Object.keys(limits).length, 0);
  const all = SERVICES.reduce((sum, { unkept }) => sum + unkept.length, kept);
  const rejected = SERVICES.reduce((sum, { rejections }) => sum + Object.keys(rejections).length, 0);
  const said = `**${kept} of ${all} limits are kept, and ${rejected} things without a number are rejected.**\n`;
  return [said, ...SERVICES.map(section)].join("\n");
}

function section({ title, limits, unkept, rejections, folder }: Service): string {
  const all = Object.values(limits);
  const usual = mostFrequent(all.map(({ answer }) => answer));
  const rows = all.map((limit) => {
    const answer = limit.answer === usual ? "" : `${limit.answer} `;
    return `| ${nounOf(limit)} | ${link(limit, bound(limit))} | ${answer}|`;
  });
  const others = unkept.map((limit) => `| ${nounOf(limit)} | ${link(limit, limit.limit)} | ${limit.instead} |`);
  const rejected = Object.values(rejections).map(
    (one) => `| ${nounOf(one)} | ${link(one, "rejected")} | ${one.answer} |`,
  );
  const links = testLinks(folder, limits, "LIMITS");
  const rejectionLinks = testLinks(folder, rejections, "REJECTIONS");
  const head = ["| at most, unless it says at least | limit | beyond it |", "| --- | --- | --- |"];
  const otherHead = ["| not kept | limit in Azure | here |", "| --- | --- | --- |"];
  const rejectedHead = ["| what is rejected | in Azure | here |", "| --- | --- | --- |"];
  const said = `Tests: ${links}. Beyond a limit, unless its row says otherwise: ${usual}.`;
  return [
    `## ${title}`,
    ...["", said, "", ...head, ...rows],
    ...["", ...otherHead, ...others],
    ...["", `### Rejected by ${title}`, "", `Tests: ${rejectionLinks}.`, "", ...rejectedHead, ...rejected, ""],
  ].join("\n");
}

function testLinks(folder: string, named: object, object: "LIMITS" | "REJECTIONS"): string {
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

/** A test, or a group of tests, is named by what is limited or rejected. */
function testOf(folder: string, title: string): string {
  const files = globSync("**/*.test.ts", { cwd: join(ROOT, folder) }).sort();
  // Of several cases the title is a template.
  const begins = /(?:test\(|describe\(|\[\s*|\)\(`\$\{)/.source;
  const named = new RegExp(`${begins}${title.replaceAll(".", "\\.")}\\b`);
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
