// The limits of Azure's services that the local stack keeps, each with its source and its test, those that it does not keep, and what is rejected.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { BUS_LIMITS, BUS_NOT_KEPT, BUS_STRICTER } from "@scheduler-agent-supervisor/local/bus/limits";
import { BUS_REJECTIONS } from "@scheduler-agent-supervisor/local/bus/rejections";
import { COSMOS_LIMITS, COSMOS_NOT_KEPT, COSMOS_STRICTER } from "@scheduler-agent-supervisor/local/cosmos/limits";
import { COSMOS_REJECTIONS } from "@scheduler-agent-supervisor/local/cosmos/rejections";
import { HOST_LIMITS, HOST_NOT_KEPT } from "@scheduler-agent-supervisor/local/host/limits";
import { HOST_REJECTIONS } from "@scheduler-agent-supervisor/local/host/rejections";
import type { Limit, OtherLimit, Rejection } from "@scheduler-agent-supervisor/local/limit";
import { ROOT } from "../settings.ts";

interface Service {
  readonly title: string;
  /** The object of its limits, as its tests call it. */
  readonly limits: Readonly<Record<string, Limit>>;
  /** Those of which more passes here, likewise. */
  readonly unkept: Readonly<Record<string, OtherLimit>>;
  /** Those of which less passes here, likewise. */
  readonly stricter: Readonly<Record<string, OtherLimit>>;
  /** The object of what is rejected whatever its size, likewise. */
  readonly rejections: Readonly<Record<string, Rejection>>;
  readonly folder: string;
}

const SERVICES: readonly Service[] = [
  {
    title: "Cosmos DB",
    limits: COSMOS_LIMITS,
    unkept: COSMOS_NOT_KEPT,
    stricter: COSMOS_STRICTER,
    rejections: COSMOS_REJECTIONS,
    folder: "packages/local/src/cosmos",
  },
  {
    title: "Service Bus",
    limits: BUS_LIMITS,
    unkept: BUS_NOT_KEPT,
    stricter: BUS_STRICTER,
    rejections: BUS_REJECTIONS,
    folder: "packages/local/src/bus",
  },
  {
    title: "Azure Functions",
    limits: HOST_LIMITS,
    unkept: HOST_NOT_KEPT,
    stricter: {},
    rejections: HOST_REJECTIONS,
    folder: "packages/local/src/host",
  },
];

export function limitsTables(): string {
  const count = (kind: "limits" | "unkept" | "stricter" | "rejections") =>
    SERVICES.reduce((sum, service) => sum + Object.keys(service[kind]).length, 0);
  const [kept, unkept] = [count("limits"), count("unkept")];
  const said = [
    `**${kept} of ${kept + unkept} limits are kept, and ${count("rejections")} things without a number are rejected.**`,
    `Of ${unkept} limits more passes here than in Azure, and of ${count("stricter")} others less. Each row has a test.`,
  ];
  return [said.join(" "), "", ...SERVICES.map(section)].join("\n");
}

function section({ title, limits, unkept, stricter, rejections, folder }: Service): string {
  const all = Object.values(limits);
  const usual = mostFrequent(all.map(({ answer }) => answer));
  const rows = all.map((limit) => {
    const answer = limit.answer === usual ? "" : `${limit.answer} `;
    return `| ${nounOf(limit)} | ${link(limit, bound(limit))} | ${answer}|`;
  });
  const rejected = Object.values(rejections).map(
    (one) => `| ${nounOf(one)} | ${link(one, "rejected")} | ${one.answer} |`,
  );
  const links = testLinks(folder, limits, "LIMITS");
  const head = ["| at most, unless it says at least | limit | beyond it |", "| --- | --- | --- |"];
  const rejectedHead = ["| what is rejected | in Azure | here |", "| --- | --- | --- |"];
  const said = `Tests: ${links}. Beyond a limit, unless its row says otherwise: ${usual}.`;
  return [
    `## ${title}`,
    ...["", said, "", ...head, ...rows],
    ...others(`Limits of ${title} that are not kept`, folder, unkept, "NOT_KEPT"),
    ...others(`Stricter than ${title}`, folder, stricter, "STRICTER"),
    ...["", `### Rejected by ${title}`, "", `Tests: ${testLinks(folder, rejections, "REJECTIONS")}.`, ""],
    ...[...rejectedHead, ...rejected, ""],
  ].join("\n");
}

function others(
  title: string,
  folder: string,
  limits: Readonly<Record<string, OtherLimit>>,
  object: TestedObject,
): string[] {
  const rows = Object.values(limits).map((one) => `| ${nounOf(one)} | ${link(one, one.limit)} | ${one.instead} |`);
  if (rows.length === 0) return [];
  const head = ["| what | limit in Azure | here |", "| --- | --- | --- |"];
  return ["", `### ${title}`, "", `Tests: ${testLinks(folder, limits, object)}.`, "", ...head, ...rows];
}

/** As the tests call it. */
type TestedObject = "LIMITS" | "NOT_KEPT" | "STRICTER" | "REJECTIONS";

function testLinks(folder: string, named: object, object: TestedObject): string {
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
