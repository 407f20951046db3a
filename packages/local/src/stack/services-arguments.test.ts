// The command line of `services`: what it means, and everything that can be wrong with it.
import { expect, test } from "vitest";
import { ownerOf, parseServicesArguments, type ServicesArguments } from "./services-arguments.ts";

function valid(...args: string[]): ServicesArguments {
  const parsed = parseServicesArguments(args);
  if (parsed.kind !== "arguments") throw new Error(JSON.stringify(parsed));
  return parsed.value;
}

test("nothing named means every part on its usual port", () => {
  expect(valid()).toMatchObject({
    parts: ["bus", "cosmos", "remotes", "azurite", "traces"],
    named: false,
    data: ".local",
    durability: "normal",
    ports: {
      bus: 5672,
      busAdmin: 5300,
      cosmos: 8081,
      azuriteBlob: 10_000,
      azuriteQueue: 10_001,
      azuriteTable: 10_002,
      traces: 4318,
      remotes: undefined,
    },
  });
});

test("--port is the port of the one part that is named", () => {
  expect(valid("cosmos", "--port", "9000").ports).toMatchObject({ cosmos: 9000, bus: 5672 });
  expect(valid("bus", "--port=9000", "--bus-admin-port", "9001").ports).toMatchObject({ bus: 9000, busAdmin: 9001 });
  expect(valid("azurite", "--port", "9000").ports).toMatchObject({ azuriteBlob: 9000, azuriteTable: 9002 });
  expect(valid("azurite", "--port", "0").ports).toMatchObject({ azuriteBlob: 0, azuriteTable: 0 });
  expect(valid("remotes", "--port", "9000").ports.remotes).toBe(9000);
  expect(valid("remotes", "bus", "--remotes-port", "9000,9005").ports.remotes).toEqual([9000, 9005]);
});

test("every fault is named at once", () => {
  const args = ["buss", "bus", "cosmos", "--prot", "1", "--port", "9", "--bus-port", "x", "--cosmos-port", "65536"];
  const more = ["--remotes-port", "1,y", "--durability", "some", "--data"];
  const parsed = parseServicesArguments([...args, ...more]);
  expect(parsed.kind === "invalid" && parsed.faults).toEqual([
    "there is no part buss; there are bus, cosmos, remotes, azurite, traces",
    "there is no option --prot",
    "there is no part 1; there are bus, cosmos, remotes, azurite, traces",
    "--data needs a value",
    "--durability has to be full or normal, and is some",
    "--port needs exactly one part to be named",
    "--bus-port has to be a port from 0 to 65535, and is x",
    "--cosmos-port has to be a port from 0 to 65535, and is 65536",
    "--remotes-port has to be ports from 0 to 65535, and is 1,y",
  ]);
});

test("--tls gives the bus a port for TLS alone", () => {
  expect(valid("bus", "cosmos").tls).toBe(false);
  expect(valid("cosmos", "--tls").tls).toBe(true);
  expect(parseServicesArguments(["azurite", "--tls"])).toMatchObject({ faults: ["--tls is for bus and cosmos"] });
  expect(valid("bus").ports.busTls).toBeUndefined();
  expect(valid("bus", "--tls").ports.busTls).toBe(5671);
  const all = valid("--tls", "--bus-tls-port", "5690");
  expect(all.ports).toMatchObject({ bus: 5672, busTls: 5690 });
  expect(ownerOf(5690, all)).toEqual({ part: "bus", option: "--bus-tls-port" });
  expect(parseServicesArguments(["--bus-tls-port", "5690"])).toMatchObject({ faults: ["--bus-tls-port needs --tls"] });
});

test("--throughput is a number of request units, and --like-azure chooses what is as in Azure", () => {
  expect(valid()).toMatchObject({ throughput: undefined, likeAzure: false });
  expect(valid("--throughput", "4000", "--like-azure")).toMatchObject({ throughput: 4000, likeAzure: true });
  expect(parseServicesArguments(["--throughput", "none"])).toMatchObject({
    faults: ["--throughput has to be a number of request units from 1 to 1000000, and is none"],
  });
});

test("--stale-reads is a number of milliseconds", () => {
  expect(valid().staleReadsMs).toBeUndefined();
  expect(valid("cosmos", "--stale-reads", "500").staleReadsMs).toBe(500);
  expect(parseServicesArguments(["--stale-reads", "0"])).toMatchObject({
    faults: ["--stale-reads has to be a number of milliseconds from 1 to 3600000, and is 0"],
  });
});

test("two parts cannot have one port", () => {
  const parsed = parseServicesArguments(["cosmos", "azurite", "--azurite-port", "8079"]);
  expect(parsed).toMatchObject({ faults: ["--cosmos-port and --azurite-port both lead to port 8081"] });
  expect(valid("azurite", "--azurite-port", "8079").ports.azuriteTable).toBe(8081);
});

test("a busy port has an owner and an option", () => {
  const all = valid("--azurite-port", "9000");
  expect(ownerOf(5300, all)).toEqual({ part: "bus", option: "--bus-admin-port" });
  expect(ownerOf(9002, all)).toEqual({ part: "azurite", option: "--azurite-port" });
  expect(ownerOf(7081, all)).toEqual({ part: "remotes", option: "--remotes-port" });
});
