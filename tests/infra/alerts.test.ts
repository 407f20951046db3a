// Alert rules and workbook: their queries run against the tables, ask for what the app says, and lead to a runbook.
import { globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { telemetryQuery } from "../../cli/smoke/smoke-azure.ts";
import { membersOf } from "./bicep.ts";
import { deploy } from "./deploy.ts";
import { bind } from "./kusto.ts";
import { spanAttributes, unsaid } from "./said.ts";

const root = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");

interface Alert {
  readonly name: string;
  readonly title: string;
  readonly severity: number;
  readonly frequency: string;
  readonly window: string;
}
interface LogAlert extends Alert {
  readonly dimensions: readonly string[];
}
interface MetricAlert extends Alert {
  readonly of: string;
  readonly metric: string;
  readonly dimensions: { readonly [name: string]: readonly string[] };
}

const words = Object.entries(JSON.parse(read("infra/words.json")) as Record<string, string>);
/** As it is deployed, in the words of this app. */
const inWords = (text: string) => words.reduce((sofar, [key, word]) => sofar.replaceAll(`{${key}}`, word), text);
const alerts = JSON.parse(inWords(read("infra/alerts/alerts.json"))) as { log: LogAlert[]; metric: MetricAlert[] };
const all: Alert[] = [...alerts.log, ...alerts.metric];
const queryOf = ({ name }: Pick<Alert, "name">) => read(`infra/alerts/${name}.kql`);

interface Item {
  readonly name: string;
  readonly content: { readonly query?: string; readonly parameters?: readonly { readonly name: string }[] };
}
const workbook = (JSON.parse(inWords(read("infra/workbook/jobs.json"))) as { items: Item[] }).items;
const workbookQueries = workbook.flatMap(({ name, content: { query } }) =>
  query ? [{ name, query: filledIn(query) }] : [],
);

/** A workbook puts its parameters in; here they are all prices. */
function filledIn(query: string): string {
  const known = workbook.flatMap(({ content }) => content.parameters?.map(({ name }) => name) ?? []);
  return query.replaceAll(/\{(\w+)\}/g, (token, name: string) => (known.includes(name) ? "0.25" : token));
}

const BEGINS = /^ *(?:union )?App\w+(?:,| \|)/;

/** What a page gives an operator to ask: indented lines, from the one that names a table, or code in a sentence. */
function queriesOf(page: string): { name: string; query: string }[] {
  const text = read(page);
  const blocks = (text.match(/(?:^ {4,}\S.*\n)+/gm) ?? []).flatMap((block) =>
    block.split(/^(?= *(?:union )?App\w+(?:,| \|))/m),
  );
  const inline = [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code);
  const found = [...blocks, ...inline].filter((query) => BEGINS.test(query));
  return found.map((query, place) => ({ name: `${page} ${place}`, query }));
}
const PAGES = [
  "docs/how-to/runbooks.md",
  "docs/how-to/own-alert.md",
  "docs/how-to/upgrade.md",
  "docs/reference/telemetry.md",
];

const queries = [
  ...alerts.log.map((alert) => ({ name: alert.name, query: queryOf(alert) })),
  ...workbookQueries,
  { name: "smoke test", query: telemetryQuery("order-1") },
  ...PAGES.flatMap(queriesOf),
];

/** A heading's anchor, as GitHub makes it. */
const anchors = [...read("docs/how-to/runbooks.md").matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, "")
    .replaceAll(" ", "-"),
);

test.each(queries)("$name: its query parses and binds", ({ query }) => {
  expect(bind(query).faults).toEqual([]);
});

test.each(queries)("$name: asks for what the app says", ({ query }) => {
  expect(unsaid(query)).toEqual([]);
});

test.each(alerts.log)("$name: splits by columns of its answer", ({ name, dimensions }) => {
  const { columns } = bind(queryOf({ name }));
  expect(columns).toEqual(expect.arrayContaining([...dimensions]));
});

test.each(all)("$name: leads to its runbook, which says what to look at and what to do", ({ name }) => {
  expect(anchors).toContain(name);
  const section = read("docs/how-to/runbooks.md").split(`### ${name}\n`)[1]?.split(/\n##/)[0] ?? "";
  for (const part of ["**Means**", "**Look at**", "**Do**"]) expect(section).toContain(part);
});

test.each(all)("$name: has a severity and times that Azure Monitor takes", ({ severity, frequency, window }) => {
  const minutes = [frequency, window].map(minutesOf);
  expect(severity).toBeGreaterThanOrEqual(0);
  expect(severity).toBeLessThanOrEqual(4);
  expect(["PT1M", "PT5M", "PT10M", "PT15M", "PT30M", "PT1H"]).toContain(frequency);
  expect(["PT5M", "PT10M", "PT15M", "PT30M", "PT1H", "P1D", "P2D"]).toContain(window);
  expect(minutes[1]).toBeGreaterThanOrEqual(minutes[0] ?? Number.NaN);
});

test.each(all)("$name: leads to a view that the console has", ({ name }) => {
  const views = JSON.parse(read("infra/alerts/views.json")) as Record<string, string>;
  expect(Object.keys(views).sort()).toEqual(all.map((alert) => alert.name).sort());
  const routes = [...read("packages/operator/console/src/app.tsx").matchAll(/<Route path="([^"]+)"/g)].map(
    ([, path = ""]) => path,
  );
  const patterns = routes.map(
    (route) => new RegExp(`^${route.replaceAll(/\/:\w+\?/g, "(/[\\w-]+)?").replaceAll(/:\w+/g, "[\\w-]+")}$`),
  );
  expect(patterns.some((pattern) => pattern.test(views[name] ?? ""))).toBe(true);
});

test("Bicep loads each query under its alert's name, and there is no other", () => {
  const loaded = membersOf(read("infra/app/alerts.bicep"), "queries");
  for (const [name, value] of loaded) expect(value).toBe(`loadTextContent('../alerts/${name}.kql')`);
  const names = alerts.log.map(({ name }) => name).sort();
  expect(loaded.map(([name]) => name).sort()).toEqual(names);
  const files = readdirSync(join(root, "infra/alerts")).filter((file) => file.endsWith(".kql"));
  expect(files.map((file) => file.replace(".kql", "")).sort()).toEqual(names);
});

test("function failures are split by faas.name, for Service Bus requests all have one name", () => {
  expect(alerts.log.find(({ name }) => name === "function-failures")?.dimensions).toEqual(["functionName"]);
  const query = read("infra/alerts/function-failures.kql");
  expect(query).toContain('extend faas = tostring(Properties["faas.name"])');
  expect(query).toContain("by functionName = iff(isempty(faas), Name, faas)");
});

test("queue-age names what the messages wait for, and its runbook explains each outage that may be named", () => {
  expect(alerts.log.find(({ name }) => name === "queue-age")?.dimensions).toEqual(["queue", "cause"]);
  const section = read("docs/how-to/runbooks.md").split("### queue-age\n")[1]?.split(/\n##/)[0] ?? "";
  const sources = globSync("packages/core/src/**/*.ts", { cwd: root }).map(read);
  const outages = sources.flatMap((text) =>
    [...text.matchAll(/class (\w+) extends (?:Outage|SentBack|OtherVersionNeeded)\b/g)].map(([, name = ""]) => name),
  );
  expect(outages.length).toBeGreaterThan(6);
  // Others extend these two, which nothing throws itself; no message waits for the archive.
  const named = outages.filter((name) => !["SentBack", "OtherVersionNeeded", "ArchiveUnavailable"].includes(name));
  for (const name of ["notTaken", ...named]) expect(section, name).toContain(`\`${name}\``);
});

test("metric alerts watch queues that exist", () => {
  const queues = (JSON.parse(read("infra/entities/service-bus.json")) as { queues: { name: string }[] }).queues;
  const names = queues.map(({ name }) => name);
  for (const { dimensions } of alerts.metric)
    for (const queue of dimensions["EntityName"] ?? []) if (queue !== "*") expect(names).toContain(queue);
});

test("a runbook for each alert, and none for one that is gone", () => {
  const section = read("docs/how-to/runbooks.md").split("\n## Alerts and runbooks\n")[1]?.split("\n## ")[0] ?? "";
  const runbooks = [...section.matchAll(/^### (.+)$/gm)].map(([, name]) => name);
  expect(runbooks.sort()).toEqual(all.map(({ name }) => name).sort());
});

test("planted: a misspelt table, column, operator or reserved word is found", () => {
  expect(bind("AppEvent | count").faults).not.toEqual([]);
  expect(bind("AppEvents | where Nmae == 'x'").faults).not.toEqual([]);
  expect(bind("AppEvents | sumarize count()").faults).not.toEqual([]);
  expect(bind("AppEvents | extend kind = 1").faults).not.toEqual([]);
  expect(bind(filledIn("print {NoSuchParameter}")).faults).not.toEqual([]);
});

test("planted: an event, a metric or an attribute that nobody says is found", () => {
  expect(unsaid('AppEvents | where Name == "OrderErored"')).toEqual(["AppEvents: OrderErored"]);
  expect(unsaid('AppEvents | where Name in ("JobErrored", "OrderLost")')).toEqual(["AppEvents: OrderLost"]);
  expect(unsaid('AppMetrics | where Name == "orders.by_sate"')).toEqual(["AppMetrics: orders.by_sate"]);
  expect(unsaid("AppEvents | project Properties.ordreId")).toEqual(["ordreId"]);
});

test("planted: a word of the code that is no attribute, or one of another event, metric or table, is found", () => {
  // It stands in the sample's content, and no telemetry has it.
  expect(unsaid(telemetryQuery("order-1").replace("jobId", "orderId"))).toEqual(["orderId"]);
  expect(unsaid('AppEvents | where Name == "JobClaimed" | project Properties.endpoint')).toEqual(["endpoint"]);
  expect(unsaid('AppMetrics | where Name == "jobs.overdue" | project Properties["state"]')).toEqual(["state"]);
  expect(unsaid("AppRequests | project Properties.criticalMs")).toEqual(["criticalMs"]);
});

test("the page names the attributes of spans, and has queries", () => {
  expect(spanAttributes).toEqual(expect.arrayContaining(["jobId", "attempt", "step", "agent", "outcome"]));
  for (const page of PAGES) expect(queriesOf(page).length, page).toBeGreaterThan(0);
});

function minutesOf(duration: string): number {
  const [, days = "0", hours = "0", minutes = "0"] = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?)?$/.exec(duration) ?? [];
  return (Number(days) * 24 + Number(hours)) * 60 + Number(minutes);
}

test("alerts lead to a runbook and to the console's view, both by their addresses", async () => {
  const RUNBOOKS = "https://example.com/runbooks.md";
  const { all, outputs } = await deploy({ RUNBOOKS });
  const rules = ["scheduledQueryRules", "metricAlerts"].flatMap((type) => all(`Microsoft.Insights/${type}`));
  expect(rules.length).toBeGreaterThan(10);
  for (const { name, body } of rules) {
    const text = JSON.stringify(body);
    expect(text).toContain(`"runbook":"${RUNBOOKS}#${name}"`);
    expect(text).toMatch(new RegExp(`"console":"${outputs["SERVICE_APP_URI"]}/console/[a-z/-]*"`));
  }
  // What is relative leads nowhere from an e-mail.
  expect(JSON.stringify((await deploy()).all("Microsoft.Insights/scheduledQueryRules"))).not.toContain("runbook");
  await expect(deploy({ RUNBOOKS: "docs/how-to/runbooks.md" })).rejects.toThrow("runbooks is an address");
});
