// Clients in other languages: each a program that is given where a part of the stack answers, and prints outcomes as lines of JSON.
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { outcomeOf, type SuiteRun, type TestOutcome } from "./outcome.ts";
import { today, WORKPLACE } from "./sources.ts";

const FOLDER = import.meta.dirname;
const LIMIT_MS = 300_000;

interface Line {
  /** The first line: of the client. */
  readonly version?: string;
  readonly name?: string;
  readonly outcome?: "passed" | "failed";
  readonly error?: string;
}

interface Program {
  readonly suite: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

async function runProgram({ suite, command, args, environment }: Program): Promise<SuiteRun | { missing: string }> {
  const child = spawn(command, args, {
    cwd: FOLDER,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1", ...environment },
  });
  const limit = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS);
  const said: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => said.push(line));
  const started = new Promise<string | undefined>((resolve) => {
    child.once("error", (cause) => resolve(cause.message));
    child.once("spawn", () => resolve(undefined));
  });
  const fault = await started;
  if (fault) return { missing: fault };
  const tests: TestOutcome[] = [];
  let version = "";
  for await (const text of createInterface({ input: child.stdout })) {
    if (!text.startsWith("{")) continue;
    const line = JSON.parse(text) as Line;
    version = line.version ?? version;
    if (line.name) tests.push({ file: "basics", name: line.name, ...outcomeOf(line.error) });
  }
  clearTimeout(limit);
  if (tests.length === 0) return { missing: said.at(-1) ?? `${command} printed nothing` };
  return { suite, on: today(), versions: { [suite]: version }, tests };
}

type CosmosClientName = "azure-cosmos (Python)" | "Microsoft.Azure.Cosmos (.NET)";

/** With one server each for plain connections and for TLS. */
export async function runCosmosClient(suite: CosmosClientName): Promise<SuiteRun | { missing: string }> {
  const plain = await runCosmosOver("HTTP", suite);
  if ("missing" in plain) return plain;
  const secured = await runCosmosOver("TLS", suite);
  return "missing" in secured ? secured : { ...plain, tests: [...plain.tests, ...secured.tests] };
}

async function runCosmosOver(wire: "HTTP" | "TLS", suite: CosmosClientName): Promise<SuiteRun | { missing: string }> {
  const { startCosmos } = await import("@scheduler-agent-supervisor/local/cosmos");
  const cosmos = await startCosmos({ port: 0, data: dataFolder("cosmos"), tls: {} });
  const [, key = ""] = /AccountKey=([^;]+)/.exec(cosmos.connectionString) ?? [];
  const { endpoint = "", certificateFile = "" } = cosmos.tls ?? {};
  const where = wire === "TLS" ? [endpoint, key, certificateFile] : [cosmos.endpoint, key];
  try {
    const run = await (suite === "azure-cosmos (Python)"
      ? runPython(suite, "cosmos_basics.py", where)
      : runDotnet(suite, "cosmos", where));
    return "missing" in run ? run : { ...run, tests: run.tests.map((test) => ({ ...test, file: `over ${wire}` })) };
  } finally {
    await cosmos.close();
  }
}

const QUEUES = [
  { name: "plain", properties: {} },
  { name: "sessions", properties: { requiresSession: true } },
];
/** Python's client takes no other port. */
const AMQPS = 5671;

export async function runBusClient(suite: "azure-servicebus (Python)" | "python-qpid-proton") {
  const { startBus } = await import("@scheduler-agent-supervisor/local/bus");
  const tls = suite === "azure-servicebus (Python)" ? { port: AMQPS } : undefined;
  const bus = await startBus({ port: 0, adminPort: 0, tls, data: dataFolder("bus"), queues: QUEUES });
  const key = /SharedAccessKeyName=.*/.exec(bus.connectionString)?.[0] ?? "";
  const [, name = "", secret = ""] = /Name=([^;]+);SharedAccessKey=([^;]+)/.exec(key) ?? [];
  try {
    switch (suite) {
      case "azure-servicebus (Python)":
        return await runPython(suite, "service_bus_basics.py", [
          `Endpoint=sb://localhost/;SharedAccessKeyName=${name};SharedAccessKey=${secret}`,
          bus.tls?.certificateFile ?? "",
        ]);
      case "python-qpid-proton":
        return await runPython(suite, "proton_basics.py", [`amqp://${name}:${secret}@127.0.0.1:${bus.port}`]);
      default:
        throw new Error(`no such client: ${suite satisfies never}`);
    }
  } finally {
    await bus.close();
  }
}

/** `PYTHON` is an interpreter for which the package is installed. */
function runPython(suite: string, program: string, args: readonly string[]) {
  const command = process.env["PYTHON"] ?? "python3";
  return runProgram({ suite, command, args: [join(FOLDER, "python", program), ...args] });
}

/** Compiled outside of the repository. */
function runDotnet(suite: string, project: string, args: readonly string[]) {
  const artifacts = join(WORKPLACE, `dotnet-${project}`);
  const options = ["run", "--project", join(FOLDER, "dotnet", project), "--artifacts-path", artifacts, "--", ...args];
  return runProgram({ suite, command: "dotnet", args: options, environment: { DOTNET_CLI_TELEMETRY_OPTOUT: "1" } });
}

function dataFolder(part: string): string {
  const folder = join(WORKPLACE, "data", `${part}-${Date.now()}`);
  mkdirSync(folder, { recursive: true });
  return folder;
}
