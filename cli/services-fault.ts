// `npm run services:fault`: switches faults of the simulated services on and off while a stack runs, and lists those that are on.
import { FAULT_HEADERS } from "@scheduler-agent-supervisor/local/remotes";
import { readAvailable } from "./agents/missing.ts";
import { readArguments, runCommand, UsageError, type Values } from "./every-app/arguments.ts";
import { printFor, withAddress } from "./every-app/printed-commands.ts";
import { DEFAULT_DATA, faultWithoutStack, readStackFile, requireStack } from "./every-app/stack-file.ts";
import { printTable } from "./orders/table.ts";

const USAGE = `npm run services:fault                              lists the faults that are on
npm run services:fault -- SERVICE KIND [OPTIONS]    switches one on, as in: payment down --calls 3
npm run services:fault -- SERVICE off [ID]          switches those of a service off, or one
npm run services:fault -- off                       switches all off
KIND: down, slow, hang, reject, loseReply, gateway, late, accept, double
  --calls N           for so many calls
  --for-ms N          for so long
  --path PATH         of these calls alone: /reservations, /reservations/*/release, or a worker's queue
  --match LIST        of requests with these members alone: orderId=mine-1,amount=5
  --delay-ms N        how long slow waits, and when late reports
  --status N          the answer of down (5xx or 429), reject (4xx) and gateway (503, 504, 303); also --code TEXT, --message TEXT
  --retry-after-s N   the Retry-After of down, reject and accept
  --data DIR          the state folder of the stack (.local)`;

/** Each option, by the member of a fault that it gives. */
const TEXTS = { path: "path", code: "code", message: "message" } as const;
const NUMBERS = {
  ...{ calls: "calls", forMs: "for-ms", delayMs: "delay-ms" },
  ...{ status: "status", retryAfterS: "retry-after-s" },
} as const;

type Fault = Readonly<Record<string, unknown>>;

await runCommand(async () => {
  const names = [...Object.values(TEXTS), ...Object.values(NUMBERS), "match", "data"];
  const options = Object.fromEntries(names.map((name) => [name, { type: "string" }] as const));
  const { values, positionals } = readArguments(options, USAGE, "words");
  if (values["data"] !== undefined) requireStack(String(values["data"]));
  const data = String(values["data"] ?? DEFAULT_DATA);
  printFor({ data });
  const fault = faultIn(values);
  const [service, kind, id, ...more] = positionals;
  const addresses = await addressesIn(data);
  const isSwitchedOn = kind !== undefined && kind !== "off";
  const isWrong =
    more.length > 0 ||
    (id !== undefined && kind !== "off") ||
    (positionals.length === 1 && service !== "off") ||
    (!isSwitchedOn && Object.keys(fault).length > 0);
  if (isWrong) throw new UsageError(`Name a service and a fault, or off.\n\n${USAGE}`);
  try {
    if (service === undefined) return await list(addresses);
    if (service === "off" && kind === undefined) {
      for (const name of Object.keys(addresses)) await switchOff(name, addresses);
      return 0;
    }
    if (kind === "off") await switchOff(service, addresses, id);
    else await switchOn(service, { kind, ...fault }, addresses);
    return 0;
  } catch (cause) {
    throw faultWithoutStack(cause, data, "simulated service");
  }
});

/** @throws UsageError */
function faultIn(values: Values): Fault {
  const given = <Names extends Readonly<Record<string, string>>>(names: Names, read: (text: string) => unknown) =>
    Object.entries(names).flatMap(([member, option]) =>
      values[option] === undefined ? [] : [[member, read(String(values[option]))] as const],
    );
  const match = values["match"] === undefined ? [] : [["match", matchIn(String(values["match"]))] as const];
  // What is no number stays as it is: the service says what is wrong with it.
  return Object.fromEntries([...given(TEXTS, String), ...given(NUMBERS, jsonOrText), ...match]);
}

/** @throws UsageError */
function matchIn(text: string): Fault {
  const pairs = text.split(",").map((pair) => /^([^=]+)=(.*)$/.exec(pair) ?? [pair]);
  const wrong = pairs.find(([, name]) => name === undefined);
  if (wrong) throw new UsageError(`--match has ${wrong[0]}, and needs NAME=VALUE, with commas between them`);
  return Object.fromEntries(pairs.map(([, name = "", value = ""]) => [name, jsonOrText(value)]));
}

/** A number, true, false, null, or a text; a text of digits stands in quotes. */
function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

type AddressOf = Readonly<Record<string, string>>;

/** Of the stack that runs on `data`; else at the ports that the definition has. */
async function addressesIn(data: string): Promise<AddressOf> {
  const running = readStackFile(data)?.services;
  if (running) return running;
  const { services } = await readAvailable();
  return Object.fromEntries(services.flatMap(({ name, port }) => (port ? [[name, `http://127.0.0.1:${port}`]] : [])));
}

async function list(addresses: AddressOf): Promise<number> {
  const all = await Promise.all(
    Object.keys(addresses).map(async (service) => {
      const { faults } = (await ask(service, addresses, "GET", "")) as { faults: Fault[] };
      return faults.map(({ id, kind, callsLeft, until, calls: _, forMs: __, ...more }) => {
        const left = [
          ...(callsLeft === null ? [] : [`${callsLeft} more calls`]),
          ...(until === null ? [] : [`until ${until}`]),
          ...Object.entries(more).map(([member, value]) => `${member} ${JSON.stringify(value)}`),
        ];
        return [service, String(kind), String(id), left.join(", ")];
      });
    }),
  );
  const rows = all.flat();
  if (rows.length === 0) console.log("No fault is on.");
  printTable(["service", "fault", "id", "limits"], rows);
  return 0;
}

async function switchOn(service: string, fault: Fault, addresses: AddressOf): Promise<void> {
  const { id } = (await ask(service, addresses, "POST", "", fault)) as { id: string };
  const off = withAddress(`Off: npm run services:fault -- ${service} off ${id}`);
  console.log(`${service}: ${fault["kind"]} is on. ${off}`);
}

async function switchOff(service: string, addresses: AddressOf, id?: string): Promise<void> {
  const { removed } = (await ask(service, addresses, "DELETE", id === undefined ? "" : `/${id}`)) as {
    removed: number;
  };
  console.log(`${service}: ${removed} switched off`);
}

/** @throws where no such service is there, or it does not take what it is asked */
async function ask(
  service: string,
  addresses: AddressOf,
  method: string,
  below: string,
  body?: Fault,
): Promise<object> {
  const { [service]: address } = addresses;
  if (address === undefined)
    throw new UsageError(`no service is called ${service}: there are ${Object.keys(addresses).join(", ")}`);
  const url = `${address.replace(/\/$/, "")}/$faults${below}`;
  const response = await fetch(url, { method, headers: FAULT_HEADERS, ...(body && { body: JSON.stringify(body) }) });
  const answer = (await response.json()) as { readonly message?: string };
  if (!response.ok) throw new Error(`${service} does not take it: ${answer.message}`);
  return answer;
}
