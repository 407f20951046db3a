// Connection strings of Microsoft's emulators in an app's settings: which parts they ask for, and what they are on this stack.
import type { Addresses } from "./addresses.ts";
import type { PartName } from "./parts.ts";

type EmulatedPart = "bus" | "cosmos" | "azurite";

const EMULATORS: readonly (readonly [part: EmulatedPart, pattern: RegExp])[] = [
  ["bus", /(^|;)\s*UseDevelopmentEmulator=true/i],
  ["cosmos", /^\s*AccountEndpoint=https?:\/\/(localhost|127\.0\.0\.1)[:/;]/i],
  ["azurite", /(^|;)\s*(UseDevelopmentStorage=true|AccountName=devstoreaccount1(;|$))/i],
];

const partOf = (value: string) => EMULATORS.find(([, pattern]) => pattern.test(value))?.[0];

/** The parts that the settings name, in the order of their start. */
export function emulatedParts(settings: Readonly<Record<string, string>>): PartName[] {
  const named = new Set(Object.values(settings).map(partOf));
  return EMULATORS.map(([part]) => part).filter((part) => named.has(part));
}

/** The settings that name an emulator, each with the connection string of the part that takes its place. */
export function emulatorSettings(
  settings: Readonly<Record<string, string>>,
  addresses: Pick<Addresses, EmulatedPart>,
): Record<string, string> {
  const replaced = Object.entries(settings).flatMap(([name, value]) => {
    const part = partOf(value);
    const connection = part && addresses[part]?.connectionString;
    return connection === undefined ? [] : [[name, connection] as const];
  });
  return Object.fromEntries(replaced);
}
