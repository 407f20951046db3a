// The public suites of the JavaScript SDKs: what of them is run, and how their clients are led to the local stack.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SuiteRun } from "../outcome.ts";
import { findCommit, install, layOut, type Source, today } from "../sources.ts";
import { runSuite } from "./run-suite.ts";

const PACKAGES = join(import.meta.dirname, "../../../node_modules");

export interface Environment {
  readonly sources: string;
  say(line: string): void;
}

interface Definition {
  readonly source: Source;
  readonly place: string;
  /** What the suite is written with, installed for it alone. */
  readonly frameworks: readonly string[];
  readonly sdk: string;
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
};

/** What needs another kind of server: a proxy, TLS with certificates of its own, the service that keeps encryption keys. */
const COSMOS_WITHOUT = ["proxy.spec.ts", "sslVerification.spec.ts", "clientSideEncryption.spec.ts"];

export async function runCosmosSuite(environment: Environment): Promise<SuiteRun | { missing: string }> {
  const prepared = prepare(COSMOS, environment);
  if ("missing" in prepared) return prepared;
  const { startCosmos } = await import("../../../local/cosmos/start.ts");
  const cosmos = await startCosmos({ port: 0, data: join(prepared.place, "data", String(Date.now())) });
  try {
    const tests = await runSuite(
      {
        place: prepared.place,
        sdk: join(PACKAGES, "@azure/cosmos/dist/esm"),
        files: "test/public/**/*.spec.ts",
        without: COSMOS_WITHOUT,
        setup: ["mocha-globals.ts"],
        // With the slash that the account says too: the suite counts two spellings as two places.
        environment: { ACCOUNT_HOST: `http://127.0.0.1:${cosmos.port}/` },
      },
      environment.say,
    );
    return { suite: "@azure/cosmos", on: today(), versions: prepared.versions, tests };
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
};

/** The name by which the suite means its namespace. */
const NAMESPACE = "conformance.servicebus.windows.net";

export async function runServiceBusSuite(environment: Environment): Promise<SuiteRun | { missing: string }> {
  const prepared = prepare(SERVICE_BUS, environment);
  if ("missing" in prepared) return prepared;
  const { startBus } = await import("../../../local/bus/start.ts");
  const bus = await startBus({ port: 0, adminPort: 0, data: join(prepared.place, "data", String(Date.now())) });
  // As Azure's, which ends its endpoint with a slash, to which the suite adds the names of entities.
  const connectionString = bus.connectionString
    .replace(/Endpoint=[^;]+/, `Endpoint=sb://${NAMESPACE}/`)
    .replace("UseDevelopmentEmulator=true;", "");
  const names = { SERVICEBUS_FQDN: NAMESPACE, SERVICEBUS_CONNECTION_STRING: connectionString };
  try {
    const tests = await runSuite(
      {
        place: prepared.place,
        sdk: join(PACKAGES, "@azure/service-bus/dist-esm/src"),
        files: "test/public/**/*.spec.ts",
        without: [],
        setup: [],
        environment: {
          ...names,
          LOCAL_CONNECTION_STRING: bus.connectionString,
          SERVICEBUS_ADMIN_PORT: String(bus.adminPort),
          ENTRY: "service-bus-sdk.ts",
          PROVIDE: JSON.stringify({ ...names, TEST_MODE: "live", SERVICEBUS_FQDN_PREMIUM: NAMESPACE }),
        },
      },
      environment.say,
    );
    return { suite: "@azure/service-bus", on: today(), versions: prepared.versions, tests };
  } finally {
    await bus.close();
  }
}

interface Prepared {
  readonly place: string;
  readonly versions: Record<string, string>;
}

function prepare(
  { source, place, frameworks, sdk }: Definition,
  { sources, say }: Environment,
): Prepared | { missing: string } {
  const found = findCommit(sources, source);
  if ("missing" in found) return found;
  const target = layOut(sources, source, place);
  writeFileSync(join(target, "package.json"), JSON.stringify({ private: true, type: "module" }));
  say(`installing ${frameworks.join(", ")}`);
  install(target, frameworks);
  const { version } = JSON.parse(readFileSync(join(PACKAGES, sdk, "package.json"), "utf8")) as { version: string };
  return { place: target, versions: { [sdk]: version, [`Azure/${source.repository}`]: found.commit } };
}
