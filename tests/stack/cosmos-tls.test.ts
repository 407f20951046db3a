// The app's own Cosmos DB client over TLS: it trusts what Node is told to trust, as the SDK's client does.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type RunningCosmos, startCosmos } from "@scheduler-agent-supervisor/local/cosmos";
import { afterAll, beforeAll, expect, test } from "vitest";

const data = mkdtempSync(join(tmpdir(), "cosmos-tls-"));
let server: RunningCosmos;
beforeAll(async () => {
  server = await startCosmos({ port: 0, data, tls: {}, resources: { database: "jobs", containers: [] } });
});
afterAll(async () => {
  await server.close();
  rmSync(data, { recursive: true });
});

/** Node reads these variables when a process begins. */
async function accountRead(environment: NodeJS.ProcessEnv): Promise<string> {
  const script = `
    import { cosmosOf } from "@scheduler-agent-supervisor/core/create-app";
    const client = cosmosOf({ Cosmos: process.argv[1] });
    const read = client.getDatabaseAccount().then(({ statusCode }) => statusCode, ({ code }) => code);
    console.log(await read);
    client.dispose();`;
  const given = ["--no-warnings", "-C", "sources", "--input-type=module", "-e", script];
  const { stdout } = await promisify(execFile)(process.execPath, [...given, server.tls?.connectionString ?? ""], {
    cwd: import.meta.dirname,
    env: { ...process.env, ...environment },
  });
  return stdout.trim();
}

test.each([
  ["nothing: it refuses", () => ({}), "DEPTH_ZERO_SELF_SIGNED_CERT"],
  ["NODE_EXTRA_CA_CERTS", () => ({ NODE_EXTRA_CA_CERTS: server.tls?.certificateFile }), "200"],
  ["NODE_TLS_REJECT_UNAUTHORIZED", () => ({ NODE_TLS_REJECT_UNAUTHORIZED: "0" }), "200"],
  [
    "a proxy, which the SDK's client does not ask either",
    () => ({
      NODE_EXTRA_CA_CERTS: server.tls?.certificateFile,
      NODE_USE_ENV_PROXY: "1",
      HTTPS_PROXY: "http://127.0.0.1:9",
    }),
    "200",
  ],
])("a process that was told %s", async (_, environment, expected) => {
  expect(await accountRead(environment())).toBe(expected);
});
