// A server in a process of its own, for tests that kill it: says its connection string on the first line of its output.
import { startCosmos } from "../start.ts";
import { ORDERS } from "./temporary-server.ts";

const [data = ""] = process.argv.slice(2);
const server = await startCosmos({ port: 0, data, resources: { database: "test", containers: [ORDERS] } });
console.log(server.connectionString);
