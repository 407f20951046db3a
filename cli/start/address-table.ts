// The table of what runs where.

import type { Addresses, StackInstance } from "@scheduler-agent-supervisor/local";
import { words } from "../../shared/words.ts";
import { withAddress } from "../every-app/printed-commands.ts";
import { framed, terminalColumns } from "../orders/table.ts";

const HEAD = ["what", "where", "for"];

const { many } = words;

/** @param instances the hosts' own processes, in the flex topology */
export function addressTable(
  { bus, cosmos, azurite, remotes, traces, hosts }: Addresses,
  logs: string,
  instances: readonly StackInstance[],
): string {
  const rows: [string, string, string][] = [];
  for (const [index, { name: host, url }] of hosts.entries()) {
    rows.push([index === 0 ? "Functions host" : `Functions host ${index + 1}`, url, "the app"]);
    if (index === 0) rows.push(["  console", `${url}/console`, "for operators"]);
    for (const { name, pid } of instances.filter((one) => one.name.startsWith(`${host}/`))) {
      rows.push([`  ${name.slice(host.length + 1)}`, `process ${pid}`, ""]);
    }
  }
  if (bus) {
    rows.push(["Service Bus", `amqp://127.0.0.1:${bus.port}`, `${many}, scheduler, quarantine and reply queues`]);
    rows.push(["  administration", `http://127.0.0.1:${bus.adminPort}`, ""]);
  }
  if (cosmos) rows.push(["Cosmos DB", cosmos.endpoint, `${many} and their state records`]);
  if (azurite) rows.push(["Azurite", `http://127.0.0.1:${azurite.blobPort}`, "blobs, queues, tables"]);
  for (const [name, url] of Object.entries(remotes)) rows.push([`${name} service`, url, "simulated remote service"]);
  if (traces) rows.push(["traces", traces.endpoint, `${withAddress("npm start -- --trace ORDER")} shows one`]);
  rows.push(["logs", logs, ""]);
  return process.stdout.isTTY ? framed(HEAD, rows, terminalColumns()) : plain(rows);
}

/** Each column is as wide as its widest text that another one follows. */
function plain(rows: readonly [string, string, string][]): string {
  const widest = (texts: readonly string[]) => Math.max(0, ...texts.map(({ length }) => length)) + 2;
  const first = widest(rows.map(([what]) => what));
  const second = widest(rows.flatMap(([, where, use]) => (use === "" ? [] : [where])));
  return rows.map(([what, where, use]) => `  ${what.padEnd(first)}${where.padEnd(second)}${use}`.trimEnd()).join("\n");
}
