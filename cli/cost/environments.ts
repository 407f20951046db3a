// The environments that the cost page prices: the template's usual choices, and those of infra/choices/*.env.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { ROOT } from "../settings.ts";
import type { Environment } from "./usage.ts";

/** Choices of azd by name, as in `azd env set`. */
export type Choices = Readonly<Record<string, string | undefined>>;

const FOLDER = join(ROOT, "infra/choices");
/** Functions and groups that scale by themselves: with zones each has two instances, chosen or not. */
export const SCALING_GROUPS = 10;
const QUEUES_WATCHED = 10;

interface Alert {
  readonly frequency: string;
}

/** As the template sets it. */
const USUAL_TRACES = 0.25;

export function namedChoices(): ReadonlyMap<string, Choices> {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith(".env"));
  return new Map([
    ["usual", {}],
    ...files.map((file): [string, Choices] => [
      file.replace(/\.env$/, ""),
      parseEnv(readFileSync(join(FOLDER, file), "utf8")),
    ]),
  ]);
}

/** With the template's defaults for what is not chosen. */
export function environmentOf(choices: Choices): Environment {
  const settings = JSON.parse(choices["SETTING_OVERRIDES"] ?? "{}") as Record<string, string | undefined>;
  const byFunction = JSON.parse(choices["ALWAYS_READY_FUNCTIONS"] ?? "{}") as Record<string, number>;
  const groups = [
    Number(choices["ALWAYS_READY_DURABLE"] ?? 1),
    Number(choices["ALWAYS_READY_HTTP"] ?? 0),
    ...Object.values(byFunction),
  ].filter((count) => count > 0);
  const zones = choices["ZONE_REDUNDANT"] === "true";
  const chosen = groups.reduce((sum, count) => sum + (zones ? Math.max(2, count) : count), 0);
  return {
    memoryGb: Number(choices["INSTANCE_MEMORY_MB"] ?? 2048) / 1024,
    zones,
    ready: zones ? chosen + 2 * Math.max(0, SCALING_GROUPS - groups.length) : chosen,
    schedules: [
      choices["SUPERVISOR_SCHEDULE"] ?? "*/10 * * * * *",
      settings["GaugesSchedule"] ?? "*/30 * * * * *",
      settings["HousekeepingSchedule"] ?? "0 17 * * * *",
    ],
    alerts: choices["RAISE_ALERTS"] === "false" ? null : alertsOf(),
    traces: Number(settings["OTEL_TRACES_SAMPLER_ARG"] ?? USUAL_TRACES),
  };
}

function alertsOf(): Environment["alerts"] {
  const { log, metric } = JSON.parse(readFileSync(join(ROOT, "infra/alerts/alerts.json"), "utf8")) as {
    log: Alert[];
    metric: { dimensions: Record<string, string[]> }[];
  };
  const at = (frequency: string) => log.filter((alert) => alert.frequency === frequency).length;
  const series = metric.reduce(
    (sum, { dimensions }) => sum + (Object.values(dimensions).flat().includes("*") ? QUEUES_WATCHED : 1),
    0,
  );
  return { every5Minutes: at("PT5M"), every15Minutes: at("PT15M"), series };
}
