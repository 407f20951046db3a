// Which ports a stack takes: the usual ones, free ones, or those that were asked for.
import { freePorts } from "./free-ports.ts";
import { FREE_PORTS, type Ports, USUAL_BUS_TLS_PORT, USUAL_HOST_PORT, USUAL_PORTS } from "./parts.ts";

export interface StackPorts extends Ports {
  /** Each further host has the next port; any free port if this is 0, or if all ports are free ones. */
  readonly host: number;
}

/** The app's settings may name the hosts' own ports, so these are chosen before the hosts run. */
export async function chosenPorts(
  ports: "usual" | "free" | Partial<StackPorts> = "usual",
  hosts: number,
): Promise<Ports & { readonly host: readonly number[] }> {
  const from = (first: number) => Array.from({ length: hosts }, (_, index) => first + index);
  const usual = { ...USUAL_PORTS, busTls: USUAL_BUS_TLS_PORT, host: from(USUAL_HOST_PORT) };
  if (ports === "usual") return usual;
  const [bus = 0, busAdmin = 0, busTls = 0, cosmos = 0, traces = 0, ...free] = await freePorts(5 + hosts);
  if (ports === "free") return { ...FREE_PORTS, bus, busAdmin, busTls, cosmos, traces, host: free };
  const { host, ...others } = ports;
  return { ...usual, ...others, ...(host !== undefined && { host: host === 0 ? free : from(host) }) };
}
