// The public suites of the JavaScript SDKs: what of them is run, and how their clients are led to the local stack.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SuiteRun, TestOutcome } from "../outcome.ts";
import { findCommit, install, layOut, type Source, today } from "../sources.ts";
import { type JavaScriptSuite, runSuite } from "./run-suite.ts";

const PACKAGES = join(import.meta.dirname, "../../../node_modules");

export interface Environment {
  readonly sources: string;
  say(line: string): void;
}

type Ran = SuiteRun | { readonly missing: string };

interface Definition {
  readonly source: Source;
  readonly place: string;
  /** What the suite is written with, installed for it alone. */
  readonly frameworks: readonly string[];
  readonly sdk: "@azure/cosmos" | "@azure/service-bus";
  /** Where the package has its modules. */
  readonly folder: string;
  readonly files: string;
  readonly without: readonly string[];
  /** What of the suite's own tools is changed in its copy: of a file, which words into which. */
  readonly changed: readonly { readonly file: string; readonly what: RegExp; readonly into: string }[];
  /** What fits only the version of the sources, not the one that the app has: it looks inside of the SDK, or wants what is new there. */
  readonly ofTheSources: { readonly version: string; readonly folder: string; readonly files: string };
}

const COSMOS: Definition = {
  source: {
    repository: "azure-sdk-for-js",
    folder: "sdk/cosmosdb/cosmos",
    paths: ["test/public", "test/internal/unit/utils"],
  },
  place: "cosmos-js",
  frameworks: ["chai@4.3.10", "sinon@17.0.2", "nock@13.5.6", "@sinonjs/fake-timers@11.3.1"],
  sdk: "@azure/cosmos",
  folder: "dist/esm",
  files: "test/public/**/*.spec.ts",
  // The first has no test left; the second wants the emulator's own port.
  without: ["proxy.spec.ts", "sslVerification.spec.ts"],
  changed: [],
  ofTheSources: {
    version: "4.3.0",
    folder: "dist-esm/src",
    files: "test/public/{functional/endpointComponent/*,integration/client}.spec.ts",
  },
};
const OF_USUAL_PORT = "test/public/integration/sslVerification.spec.ts";
const USUAL_PORT = 8081;

export function runCosmosSuite(environment: Environment): Promise<Ran> {
  return run(COSMOS, environment, async ({ most, ofTheSources }) => [
    // First: it ends at once where the port is taken.
    ...(await runOnCosmos(USUAL_PORT, { ...most, files: OF_USUAL_PORT, without: [] }, environment)),
    ...(await runOnCosmos(0, most, environment)),
    ...(await runOnCosmos(0, ofTheSources, environment)),
  ]);
}

async function runOnCosmos(port: number, laidOut: LaidOut, { say }: Environment): Promise<TestOutcome[]> {
  const { startCosmos } = await import("@scheduler-agent-supervisor/local/cosmos");
  const cosmos = await startCosmos({ port, data: join(laidOut.place, "data", String(Date.now())), tls: {} });
  const { endpoint = "", certificateFile = "" } = cosmos.tls ?? {};
  // For localhost the suite puts the client's check of the certificate off.
  const ACCOUNT_HOST = endpoint.replace("localhost", "127.0.0.1");
  const variables = { ACCOUNT_HOST, NODE_EXTRA_CA_CERTS: certificateFile };
  try {
    return await runSuite({ ...laidOut, setup: ["mocha-globals.ts"], environment: variables }, say);
  } finally {
    await cosmos.close();
  }
}

const SERVICE_BUS: Definition = {
  source: { repository: "azure-sdk-for-js", folder: "sdk/servicebus/service-bus", paths: ["test"] },
  place: "service-bus-js",
  frameworks: [
    "chai@5.1.2",
    "chai-as-promised@8.0.1",
    "chai-exclude@3.0.0",
    "debug@4.4.0",
    "ws@8.18.0",
    "https-proxy-agent@7.0.6",
  ],
  sdk: "@azure/service-bus",
  folder: "dist-esm/src",
  files: "test/public/**/*.spec.ts",
  without: [],
  changed: [
    // Most tests choose a queue or a subscription by chance: each run chooses among queues.
    { file: "test/public/utils/testutils2.ts", what: /^ {4}TestClientType\.\w*Subscription\w*,$/gm, into: "" },
    { file: "test/public/utils/testutils2.ts", what: /(?<=\| "queue" = )"all"/g, into: '"queue"' },
    { file: "test/public/atomManagement.spec.ts", what: /Math.random\(\) > 0.5/g, into: "true" },
    // A refused topic is asked for five times, with a second after each.
    { file: "test/public/utils/managementUtils.ts", what: /(?<=retryDelayInMs = )1000/g, into: "1" },
  ],
  // The last that was published before that of the sources, 7.10.0.
  ofTheSources: { version: "7.10.0-beta.2", folder: "dist/esm", files: "test/public/sessionsTests.spec.ts" },
};

/** The suite's tests of the SDK's own links and retries, on a bus. Those in `internal/unit` and `internal/node` need none. */
const SERVICE_BUS_INTERNAL: Definition = {
  ...SERVICE_BUS,
  place: "service-bus-js-internal",
  files: "test/internal/*.spec.ts",
  // It deletes messages in batches, which is new there.
  ofTheSources: { ...SERVICE_BUS.ofTheSources, files: "test/internal/deleteMessages.spec.ts" },
};

/** The name by which the suite means its namespace. */
const NAMESPACE = "conformance.servicebus.windows.net";

export function runServiceBusSuite(environment: Environment, of: "public" | "internal"): Promise<Ran> {
  const definition = of === "public" ? SERVICE_BUS : SERVICE_BUS_INTERNAL;
  return run(definition, environment, async ({ most, ofTheSources }) => [
    ...(await runOnServiceBus(most, {}, environment)),
    ...(await runOnServiceBus(ofTheSources, { SDK_PACKAGE: definition.sdk }, environment)),
  ]);
}

async function runOnServiceBus(
  laidOut: LaidOut,
  variables: Readonly<Record<string, string>>,
  { say }: Environment,
): Promise<TestOutcome[]> {
  const { startBus } = await import("@scheduler-agent-supervisor/local/bus");
  const bus = await startBus({ port: 0, adminPort: 0, data: join(laidOut.place, "data", String(Date.now())) });
  // As Azure's, which ends its endpoint with a slash, to which the suite adds the names of entities.
  const connectionString = bus.connectionString
    .replace(/Endpoint=[^;]+/, `Endpoint=sb://${NAMESPACE}/`)
    .replace("UseDevelopmentEmulator=true;", "");
  const names = { SERVICEBUS_FQDN: NAMESPACE, SERVICEBUS_CONNECTION_STRING: connectionString };
  const environment = {
    ...names,
    ...variables,
    LOCAL_CONNECTION_STRING: bus.connectionString,
    SERVICEBUS_ADMIN_PORT: String(bus.adminPort),
    ENTRY: "service-bus-sdk.ts",
    PROVIDE: JSON.stringify({ ...names, TEST_MODE: "live", SERVICEBUS_FQDN_PREMIUM: NAMESPACE }),
  };
  try {
    return await runSuite({ ...laidOut, setup: [], environment }, say);
  } finally {
    await bus.close();
  }
}

type LaidOut = Pick<JavaScriptSuite, "place" | "sdk" | "files" | "without">;

interface Prepared {
  /** On the SDK that the app has. */
  readonly most: LaidOut;
  /** The rest, on the one of the sources. */
  readonly ofTheSources: LaidOut;
}

async function run(
  definition: Definition,
  { sources, say }: Environment,
  runAll: (prepared: Prepared) => Promise<TestOutcome[]>,
): Promise<Ran> {
  const { source, place, frameworks, sdk, folder, files, without, changed, ofTheSources } = definition;
  const found = findCommit(sources, source);
  if ("missing" in found) return found;
  const prepare = (name: string, packages: readonly string[]) => {
    const target = layOut(sources, source, name);
    for (const { file, what, into } of changed) change(join(target, file), what, into);
    writeFileSync(join(target, "package.json"), JSON.stringify({ private: true, type: "module" }));
    say(`installing ${packages.join(", ")}`);
    install(target, packages);
    return target;
  };
  const mostPlace = prepare(place, frameworks);
  const rest = globSync(ofTheSources.files, { cwd: mostPlace });
  const restPlace = prepare(`${place}-of-the-sources`, [...frameworks, `${sdk}@${ofTheSources.version}`]);
  const tests = await runAll({
    most: { place: mostPlace, sdk: join(PACKAGES, sdk, folder), files, without: [...without, ...rest] },
    ofTheSources: {
      place: restPlace,
      sdk: join(restPlace, "node_modules", sdk, ofTheSources.folder),
      files: ofTheSources.files,
      without: [],
    },
  });
  const { version } = JSON.parse(readFileSync(join(PACKAGES, sdk, "package.json"), "utf8")) as { version: string };
  const versions = {
    [sdk]: `${version} (for ${rest.length} of the files ${ofTheSources.version})`,
    [`Azure/${source.repository}`]: found.commit,
  };
  return { suite: sdk, on: today(), versions, tests };
}

function change(path: string, what: RegExp, into: string): void {
  const text = readFileSync(path, "utf8");
  const changed = text.replaceAll(what, into);
  if (changed === text) throw new Error(`Nothing in ${path} is ${what}`);
  writeFileSync(path, changed);
}
