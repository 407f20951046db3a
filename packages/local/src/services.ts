#!/usr/bin/env node
// The command `services`: runs the parts of the local stack that an app needs, for any host and any SDK.
import "./node-version.ts";
import * as nodeModule from "node:module";
import { resolve } from "node:path";
import { stripVTControlCharacters, styleText } from "node:util";
import { busyPort } from "./stack/busy-port.ts";
import { readEntities } from "./stack/entities.ts";
import { type AddressRow, addressRows, type PartAddress, type ServicesMessage } from "./stack/parts.ts";
import { type RunningPart, startPart } from "./stack/running-part.ts";
import { ownerOf, parseServicesArguments, type ServicesArguments, USAGE } from "./stack/services-arguments.ts";
import { inWords, isError, messageOf, stackOf } from "./thrown.ts";

const STOP_LIMIT_MS = 4900;

nodeModule.enableCompileCache();
const running: RunningPart[] = [];
let stopping = false;

// Before anything starts: a signal that comes early must not leave a part behind.
process.on("SIGINT", () => stop(0));
process.on("SIGTERM", () => stop(0));
process.on("disconnect", () => stop(0));
// The bus has its state in memory and acknowledges after the commit: where a commit or a flush fails, only a start from the disk is right.
process.on("uncaughtException", (cause) => {
  const reason = messageOf(cause);
  const advice = /disk (is full|I\/O error)|ENOSPC/.test(reason)
    ? " What was acknowledged is kept: make room, and start again."
    : "";
  console.error(`The services end at a fault: ${reason}.${advice}\n${isError(cause) ? stackOf(cause) : ""}`);
  process.exit(1);
});
// The parent may have died while this was loading.
if (process.send && !process.connected) process.exit();

const parsed = parseServicesArguments(process.argv.slice(2));
if (parsed.kind === "help") console.log(USAGE);
else if (parsed.kind === "invalid") await refuse(parsed.faults);
else await run(parsed.value);

async function run(wanted: ServicesArguments): Promise<void> {
  const { entities, faults } = await readEntities(wanted);
  if (faults.length > 0) return refuse(faults);
  const names = wanted.parts.filter((name) => name !== "remotes" || entities.remotes);
  const started = await Promise.allSettled(
    names.map((name) =>
      startPart(name, {
        ...wanted,
        data: resolve(wanted.data),
        entities,
        log: (line) => console.log(`${name}: ${line}`),
        onExit: (gone) => void fail([`${gone} ended by itself`]),
      }),
    ),
  );
  running.push(...started.flatMap((result) => (result.status === "fulfilled" ? [result.value] : [])));
  if (stopping) return stop(0);
  const failures = started.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []));
  if (failures.length > 0) return fail(failures.map((cause) => explain(cause, wanted)));
  const parts = running.map(({ address }) => address);
  await show(parts);
  await tell({ ready: true, parts });
}

function explain(cause: unknown, wanted: ServicesArguments): string {
  if (!isError(cause)) return inWords(cause);
  if (!("code" in cause && cause.code === "EADDRINUSE" && "port" in cause)) return cause.message;
  const { part, option } = ownerOf(Number(cause.port), wanted);
  return busyPort(Number(cause.port), part, part, option);
}

async function show(parts: readonly PartAddress[]): Promise<void> {
  const rows = parts.flatMap(addressRows);
  const { isTTY, columns } = process.stdout;
  if (!isTTY) {
    for (const row of rows) console.log(cells(row).join("  ").trimEnd());
    return;
  }
  const { default: Table } = await import("cli-table3");
  const table = new Table({ head: ["what", "where", "connection string"] });
  table.push(...rows.map(cells));
  const text = table.toString();
  if (stripVTControlCharacters(text.slice(0, text.indexOf("\n"))).length <= columns) {
    console.log(text);
    return;
  }
  // A connection string that is broken by a border cannot be copied.
  const narrow = new Table({ head: ["what", "where"] });
  narrow.push(...rows.map(({ what, where }) => [what, where]));
  console.log(narrow.toString());
  for (const { what, connectionString } of rows) {
    if (connectionString) console.log(`${styleText("bold", what)}\n${connectionString}`);
  }
}

function cells({ what, where, connectionString }: AddressRow): string[] {
  return [what, where, connectionString];
}

async function refuse(faults: readonly string[]): Promise<void> {
  await fail(faults, `\n\n${USAGE}`);
}

async function fail(faults: readonly string[], more = ""): Promise<void> {
  const error = faults.join("\n");
  console.error(`${styleText("red", error, { stream: process.stderr })}${more}`);
  await tell({ ready: false, error });
  await stop(1);
}

/** Resolves when the message is on its way, so that what follows may disconnect. */
function tell(message: ServicesMessage): Promise<void> {
  return new Promise((done) => {
    if (process.connected && process.send) process.send(message, undefined, undefined, () => done());
    else done();
  });
}

async function stop(code: number): Promise<void> {
  // What is still starting is closed by the call that comes when it has started.
  stopping = true;
  process.exitCode = code || process.exitCode || 0;
  setTimeout(() => process.exit(), STOP_LIMIT_MS).unref();
  await Promise.allSettled(running.splice(0).map((part) => part.close()));
  if (process.connected) process.disconnect();
}
