// The limits of Azure's services that the local stack keeps, each with its source and its test, those that it does not keep, and what is rejected.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  BUS_LIMITS,
  BUS_NOT_KEPT,
  BUS_REJECTIONS,
  BUS_STRICTER,
  COSMOS_LIMITS,
  COSMOS_NOT_KEPT,
  COSMOS_REJECTIONS,
  COSMOS_STRICTER,
  HOST_LIMITS,
  HOST_NOT_KEPT,
  HOST_REJECTIONS,
  type Limit,
  type OtherLimit,
  type Rejection,
} from "@scheduler-agent-supervisor/local/limits";
import { ROOT } from "../settings.ts";

/** The objects of a service's limits, by the words after its name, as its tests call them. */
interface Service {
  readonly title: string;
  readonly folder: string;
  readonly LIMITS: Readonly<Record<string, Limit>>;
  readonly NOT_KEPT: Readonly<Record<string, OtherLimit>>;
  readonly STRICTER?: Readonly<Record<string, OtherLimit>>;
  readonly REJECTIONS: Readonly<Record<string, Rejection>>;
}

const SERVICES: readonly Service[] = [
  {
    title: "Cosmos DB",
    folder: "packages/local/src/cosmos",
    LIMITS: COSMOS_LIMITS,
    NOT_KEPT: COSMOS_NOT_KEPT,
    STRICTER: COSMOS_STRICTER,
    REJECTIONS: COSMOS_REJECTIONS,
  },
  {
    title: "Service Bus",
    folder: "packages/local/src/bus",
    LIMITS: BUS_LIMITS,
    NOT_KEPT: BUS_NOT_KEPT,
    STRICTER: BUS_STRICTER,
    REJECTIONS: BUS_REJECTIONS,
  },
  {
    title: "Azure Functions",
    folder: "packages/local/src/host",
    LIMITS: HOST_LIMITS,
    NOT_KEPT: HOST_NOT_KEPT,
    REJECTIONS: HOST_REJECTIONS,
  },
];

const HEADINGS = [
  ["LIMITS", "At most, unless it says at least:"],
  ["NOT_KEPT", "Of which more passes here than in Azure:"],
  ["STRICTER", "Of which less passes here than in Azure:"],
  ["REJECTIONS", "Rejected whatever its size:"],
] as const;

export function limitsTables(): string {
  return SERVICES.map((service) =>
    [`## ${service.title}`, ...HEADINGS.flatMap(([kind, heading]) => table(service, kind, heading)), ""].join("\n"),
  ).join("\n");
}

function table(service: Service, kind: (typeof HEADINGS)[number][0], heading: string): string[] {
  const { folder, [kind]: all = {} } = service;
  const rows = Object.values<Limit | OtherLimit | Rejection>(all).map(
    (one) => `| ${nounOf(one)} | [${inAzure(one)}](${one.source}) | ${"instead" in one ? one.instead : one.answer} |`,
  );
  if (rows.length === 0) return [];
  const files = [...new Set(Object.keys(all).map((name) => testOf(folder, `${kind}.${name}.what`)))];
  const tests = files.map((file) => `[${file}](../../${folder}/${file})`).join(", ");
  return ["", `${heading} (tests: ${tests})`, "", "| what | in Azure | here |", "| --- | --- | --- |", ...rows];
}

function inAzure(one: Limit | OtherLimit | Rejection): string {
  if ("value" in one) return `${one.isLeast ? "at least " : ""}${amount(one.value, one.unit)}`;
  return "limit" in one ? one.limit : "rejected";
}

/** Without its article. */
function nounOf({ what }: { readonly what: string }): string {
  return what.replace(/^(The|An?) (.)/, (_, _article, first: string) => first.toUpperCase());
}

/** A test, or a group of tests, is named by what is limited or rejected. */
function testOf(folder: string, title: string): string {
  const files = globSync("**/*.test.ts", { cwd: join(ROOT, folder) }).sort();
  // Of several cases the title is a template.
  const begins = /(?:test\(|describe\(|\[\s*|\)\(`\$\{)/.source;
  const named = new RegExp(`${begins}${title.replaceAll(".", "\\.")}\\b`);
  const found = files.find((file) => named.test(readFileSync(join(ROOT, folder, file), "utf8")));
  if (!found) throw new Error(`No test in ${folder} is named ${title}`);
  return found;
}

const UNITS = { day: 86_400_000, h: 3_600_000, min: 60_000, s: 1000 };

function amount(value: number, unit: Limit["unit"]): string {
  const plain = value.toLocaleString("en");
  if (unit === "bytes" && value % 1024 === 0) {
    return value % (1024 * 1024) === 0 ? `${value / 1024 / 1024} MB` : `${value / 1024} KB`;
  }
  if (unit !== "ms") return unit === "" ? plain : `${plain} ${unit}`;
  const [name, ms] = Object.entries(UNITS).find(([, each]) => value % each === 0) ?? ["ms", 1];
  return `${value / ms} ${name}${name === "day" && value > ms ? "s" : ""}`;
}
