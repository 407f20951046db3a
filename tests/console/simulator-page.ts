// The simulator's page, built and served for a browser.
import { readFileSync, rmSync } from "node:fs";
import { extname, join } from "node:path";
import { temporaryFolder } from "@scheduler-agent-supervisor/testing/stack";
import { buildSimulator } from "../../cli/build/build-simulator.ts";
import { startHttpServer } from "../../packages/core/tests/http-server.ts";

const TYPES: { readonly [ending: string]: string } = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
};

/** Its folder goes with it. */
export async function serveSimulator(): Promise<{ readonly url: string } & AsyncDisposable> {
  const folder = temporaryFolder("simulator-");
  await buildSimulator(folder);
  const server = await startHttpServer(({ url = "" }, response) => {
    response.writeHead(200, { "content-type": TYPES[extname(url)] ?? "" }).end(readFileSync(join(folder, url)));
  });
  return {
    url: `${server.url}index.html`,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
