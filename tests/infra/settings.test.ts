// Each setting stands in four places: the code, Bicep, the sample for local use and the operator's page.

import { globSync } from "node:fs";
import { join } from "node:path";
import { parseConfig, settingsOf } from "@scheduler-agent-supervisor/core/app";
import { expect, test } from "vitest";
import { settingsTable } from "../../cli/docs/settings.ts";
import { business } from "../../shared/business.ts";
import { literalOf, membersOf } from "./bicep.ts";
import { agents, read } from "./deploy.ts";

const root = join(import.meta.dirname, "../..");

interface Places {
  readonly code: readonly string[];
  readonly bicep: readonly string[];
  readonly sample: readonly string[];
  readonly page: readonly string[];
}

/** Connections: in Azure by identity, in settings of these names; locally by connection string. */
const CONNECTIONS: { readonly [name: string]: readonly string[] } = {
  ServiceBus: ["fullyQualifiedNamespace", "credential", "clientId"],
  Cosmos: ["accountEndpoint", "credential", "clientId"],
  AzureWebJobsStorage: [
    "accountName",
    "blobServiceUri",
    "queueServiceUri",
    "tableServiceUri",
    "credential",
    "clientId",
  ],
};
/** Set by the platform, on every instance. */
const BY_PLATFORM = ["WEBSITE_HOSTNAME", "WEBSITE_SITE_NAME", "WEBSITE_INSTANCE_ID"];
/** In Azure only where somebody wants it, by SETTING_OVERRIDES. */
const OPTIONAL = ["OTEL_EXPORTER_OTLP_ENDPOINT", "PublicUrl", "TraceUrl"];
/** Read by the host, an SDK or the platform, not by our code. */
const NOT_OURS = [
  "FUNCTIONS_REQUEST_BODY_SIZE_LIMIT",
  "AzureWebJobsDisableHomepage",
  "AZURE_CLIENT_ID",
  "AzureFunctionsJobHost__telemetryMode",
  "OTEL_TRACES_SAMPLER",
  "DURABLE_TASK_SCHEDULER_CONNECTION_STRING",
  "OVERRIDE_USE_MI_FIC_ASSERTION_CLIENTID",
  "WEBSITE_AUTH_AAD_ALLOWED_TENANTS",
];
const LOCAL_ONLY = ["FUNCTIONS_WORKER_RUNTIME", "FUNCTIONS_REQUEST_BODY_SIZE_LIMIT"];

const bound = globSync("functions/*.ts", { cwd: root }).flatMap((file) =>
  [...read(file).matchAll(/["`]%(\w+)%/g)].map(([, name = ""]) => name),
);
const written = ["settings", "durableTaskSettings", "signInSettings"].flatMap((name) =>
  membersOf(read("infra/app/function-app.bicep"), name),
);
const values = written.flatMap(([name, value]) => {
  const text = literalOf(value);
  return text === undefined ? [] : [[name, text] as const];
});
const sample = (JSON.parse(read("local.settings.sample.json")) as { Values: Record<string, string> }).Values;
const PAGE = "docs/reference/settings.md";
const section = (heading: string) => read(PAGE).split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
/** The rows of the page's table: name and, where it is fixed, the value in Azure: the default, unless the page has another. */
const rows = section("Settings")
  .split("\n")
  .flatMap((line) => {
    const [, name, , other, usual] = line.split("|").map((cell) => /^`(.+)`$/.exec(cell.trim())?.[1]);
    return name ? [{ name, value: other ?? usual }] : [];
  });
/** What the site has of the code, and what the page says that others read. */
const shown = [...settingsTable().matchAll(/^\| `(\w+)` \|/gm), ...section("All settings").matchAll(/`([A-Z]\w+)`/g)];

const places: Places = {
  code: [...new Set([...Object.keys(settingsOf(business).shape), ...bound])],
  // Those of the agents are made of a list.
  bicep: [...written.map(([name]) => name), ...agents.map(({ setting }) => setting)],
  sample: Object.keys(sample),
  page: [...rows.map(({ name }) => name), ...shown.map(([, name = ""]) => name)],
};

/** All that one place has and another lacks. */
function differences({ code, bicep, sample, page }: Places): string[] {
  const connection = (name: string) => name.split("__")[0] ?? name;
  const identities = Object.entries(CONNECTIONS).flatMap(([name, members]) =>
    members.map((member) => `${name}__${member}`),
  );
  const own = [...new Set(code.map((name) => (CONNECTIONS[connection(name)] ? connection(name) : name)))];
  const plain = own.filter((name) => !CONNECTIONS[name] && !BY_PLATFORM.includes(name));
  const lacks = (place: readonly string[], where: string, wanted: readonly string[]) =>
    wanted.filter((name) => !place.includes(name)).map((name) => `${name} is not in ${where}`);
  const strange = (place: readonly string[], where: string, known: readonly string[]) =>
    place.filter((name) => !known.includes(name)).map((name) => `${name} is in ${where}, and nothing reads it`);
  const inAzure = [...plain, ...identities, ...NOT_OURS];
  return [
    ...lacks(
      bicep,
      "Bicep",
      [...plain, ...identities].filter((name) => !OPTIONAL.includes(name)),
    ),
    ...strange(bicep, "Bicep", inAzure),
    ...lacks(
      sample,
      "the sample",
      own.filter((name) => ![...BY_PLATFORM, ...NOT_OURS].includes(name)),
    ),
    ...strange(sample, "the sample", [...own, ...identities, ...LOCAL_ONLY]),
    ...lacks(page, PAGE, [...new Set([...own, ...bicep])]),
    ...strange(page, PAGE, [...own, ...inAzure, ...LOCAL_ONLY]),
  ];
}

test("the four places have the same settings", () => {
  expect(differences(places)).toEqual([]);
});

test("the page names the values that Bicep sets", () => {
  const fixed = values.filter(([, value]) => !value.includes("${"));
  const onPage = fixed.flatMap(([name, value]) =>
    rows.flatMap((row) => (row.name === name ? [[row.value, value, name]] : [])),
  );
  expect(onPage.length).toBeGreaterThan(9);
  for (const [onPageValue, value, name] of onPage) expect(onPageValue, name).toBe(value);
});

test("the code takes the values that Bicep sets", () => {
  const own = values.filter(([name]) => Object.hasOwn(settingsOf(business).shape, name) && !name.includes("__"));
  const config = parseConfig({ ...sample, ...Object.fromEntries(own) }, business);
  expect(config.StartWithin).toBe(30_000);
});

test("each place names the same interval of the supervisor", () => {
  const SECONDS = 10;
  const schedule = `*/${SECONDS} * * * * *`;
  expect(sample["SupervisorSchedule"]).toBe(schedule);
  expect(values).toContainEqual(["SupervisorSchedule", schedule]);
  expect(rows).toContainEqual({ name: "SupervisorSchedule", value: schedule });
  expect(read("docs/concepts.md")).toContain(`The supervisor runs every ${SECONDS} seconds`);
  expect(read("docs/explanation/where-we-differ.md")).toContain(`By default every ${SECONDS} seconds`);
});

test.each(["code", "bicep", "sample", "page"] as const)("planted: a setting that is in %s alone is found", (place) => {
  const faults = differences({ ...places, [place]: [...places[place], "Planted"] });
  expect(faults.join("\n")).toContain("Planted");
});

test.each(["bicep", "sample", "page"] as const)("planted: a setting that %s lacks is found", (place) => {
  const faults = differences({ ...places, [place]: places[place].filter((name) => name !== "StartWithin") });
  expect(faults).toHaveLength(differences(places).length + 1);
});

test("planted: a connection's identity that Bicep lacks is found", () => {
  const bicep = places.bicep.filter((name) => name !== "Cosmos__clientId");
  expect(differences({ ...places, bicep })).toContain("Cosmos__clientId is not in Bicep");
});
