// The Config.json of Microsoft's Service Bus emulator, made of the same queues as the local broker's and Azure's.
import { durationMs } from "@scheduler-agent-supervisor/core/domain";

export interface Entities {
  readonly queues: readonly { readonly name: string; readonly properties: Readonly<Record<string, unknown>> }[];
}

interface QueueConfig {
  readonly Name: string;
  readonly Properties: Readonly<Record<string, string | number | boolean>>;
}

export interface EmulatorConfig {
  readonly UserConfig: {
    readonly Namespaces: readonly [{ readonly Name: string; readonly Queues: QueueConfig[]; readonly Topics: [] }];
    readonly Logging: { readonly Type: "Console" };
  };
}

/** Limits and names are those of ServiceBus-Emulator/Schema/Config-schema.json in Azure/azure-service-bus-emulator-installer. */
const NAMESPACE = "sbemulatorns";
const MOST_QUEUES = 50;
const NAME = /^[A-Za-z0-9]$|^[A-Za-z0-9][\w\-./]*[A-Za-z0-9]$/;

interface Bounds {
  readonly least: string;
  readonly most: string;
}

/** Where a property has no bounds, what Azure takes the emulator takes. The default is written out: the emulator's own differ. */
const PROPERTIES: Readonly<Record<string, { readonly usual: string | number | boolean; readonly bounds?: Bounds }>> = {
  deadLetteringOnMessageExpiration: { usual: false },
  defaultMessageTimeToLive: { usual: "PT1H", bounds: { least: "PT5M", most: "PT1H" } },
  duplicateDetectionHistoryTimeWindow: { usual: "PT5M", bounds: { least: "PT5S", most: "PT5M" } },
  lockDuration: { usual: "PT1M", bounds: { least: "PT5S", most: "PT5M" } },
  maxDeliveryCount: { usual: 10 },
  requiresDuplicateDetection: { usual: false },
  requiresSession: { usual: false },
};
const MOST_DELIVERIES = 10;

/**
 * What the emulator can't do is brought within its limits, and `differs` is called for each such difference.
 * @throws with every fault that no limit fixes: too many queues, a name or a value that the emulator doesn't take.
 */
export function emulatorConfig(
  { queues }: Entities,
  differs: (text: string) => void = () => undefined,
): EmulatorConfig {
  const faults: string[] = [];
  if (queues.length > MOST_QUEUES) faults.push(`${queues.length} queues, and the emulator has ${MOST_QUEUES} at most`);
  const configs = queues.map(({ name, properties }): QueueConfig => {
    if (!NAME.test(name)) faults.push(`the emulator has no queue named "${name}"`);
    for (const property of Object.keys(properties).filter((each) => !(each in PROPERTIES))) {
      differs(`${name}: the emulator has no ${property}`);
    }
    const entries = Object.entries(PROPERTIES).map(([property, { usual, bounds }]) => {
      const value = properties[property] ?? usual;
      const place = `${name}: ${property}`;
      if (typeof value !== typeof usual) faults.push(`${place} is ${JSON.stringify(value)}`);
      const taken = bounds ? bounded(String(value), bounds) : value;
      if (taken === undefined) faults.push(`${place} is ${value}, which is no duration`);
      const kept = property === "maxDeliveryCount" ? Math.min(Number(taken), MOST_DELIVERIES) : (taken ?? usual);
      if (kept !== value) differs(`${place} is ${kept} in the emulator, and ${value} in Azure`);
      return [pascalCase(property), kept];
    });
    return { Name: name, Properties: Object.fromEntries(entries) };
  });
  if (faults.length > 0) throw new Error(faults.join("\n"));
  return {
    UserConfig: {
      Namespaces: [{ Name: NAMESPACE, Queues: configs, Topics: [] }],
      Logging: { Type: "Console" },
    },
  };
}

function bounded(value: string, { least, most }: Bounds): string | undefined {
  const [ms, leastMs = 0, mostMs = 0] = [value, least, most].map(durationMs);
  if (ms === undefined) return undefined;
  if (ms < leastMs) return least;
  return ms > mostMs ? most : value;
}

function pascalCase(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
