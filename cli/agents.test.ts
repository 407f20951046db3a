// What follows from the agents' declarations is current, and what they lack is named.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { defineAgent } from "@scheduler-agent-supervisor/core/agents";
import { expect, test } from "vitest";
import { z } from "zod";
import { business } from "../shared/business.ts";
import type { Order } from "../shared/contracts/order.ts";
import { words } from "../shared/words.ts";
import { choiceFor, GENERATED, staleFiles } from "./agents/generated.ts";
import { missingFor, readAvailable } from "./agents/missing.ts";
import { containersOf, staleNames } from "./agents/names.ts";
import { agentTable } from "./agents/table.ts";
import { ROOT, settingsFor } from "./settings.ts";

const { serviceAgents } = business;
const APP = { contracts: business.contracts, words };

const planted = defineAgent({
  name: "planted",
  service: { setting: "PlantedEndpoints", local: "http://127.0.0.1:7099" },
  seen: ({ orderId }: Order) => ({ orderId }),
  results: { plant: z.object({ status: z.string() }) },
  operations: { plant: async () => ({ kind: "done", result: { status: "planted" } }) },
});

test.each(Object.keys(GENERATED))("%s is as the agents' declarations say: npm run agents -- --write", (file) => {
  expect(staleFiles(serviceAgents)).not.toContain(file);
});

test("what has the names of the contract is as it says: npm run agents -- --write", () => {
  expect(staleNames(APP)).toEqual([]);
});

test("each key of a contract has its index once, wherever the other paths stand", () => {
  const text = readFileSync(join(ROOT, "infra/entities/cosmos.json"), "utf8");
  const one = '{ "path": "/keys/customer/?" }';
  expect(text.split(one)).toHaveLength(2);
  const other = `${one},\n          { "path": "/later/?" }`;
  const written = containersOf(business.contracts, text.replace(one, other));
  expect(written.split(one)).toHaveLength(2);
  expect(written).toContain('"/later/?"');
  expect(containersOf(business.contracts, written)).toBe(written);
});

test.each(Object.entries(GENERATED))(
  "planted: one agent more stands in %s, and is gone with its declaration",
  (file, write) => {
    const text = readFileSync(join(ROOT, file), "utf8");
    const more = write(text, [...serviceAgents, planted]);
    expect(more).toMatch(/PlantedEndpoints|PLANTED_ENDPOINTS|planted:/);
    expect(write(more, serviceAgents)).toBe(text);
    expect(staleFiles([...serviceAgents, planted])).toContain(file);
  },
);

test("a file that has lost the place of the agents is no place to write to", () => {
  for (const file of ["infra/main.parameters.json", "azure.yaml", "docs/reference/settings.md"])
    expect(() => GENERATED[file]?.("{}", serviceAgents)).toThrow("There is no place");
});

test.each([
  ["CarEndpoints", "CAR_ENDPOINTS"],
  ["CarRental2Endpoints", "CAR_RENTAL2_ENDPOINTS"],
])("the choice for %s is %s", (setting, choice) => expect(choiceFor(setting)).toBe(choice));

test("no agent lacks anything", async () => {
  expect(serviceAgents.length).toBeGreaterThan(3);
  expect(missingFor(business, await readAvailable())).toEqual([]);
});

test("planted: what an agent lacks is named, with the file that lacks it", async () => {
  const available = await readAvailable();
  const more = { serviceAgents: [...serviceAgents, planted], agentsAskedByQueue: new Set(["fraud", "planted"]) };
  expect(missingFor(more, available)).toEqual([
    "agent planted: samples/remotes.ts has no service planted that stands for its remote service",
    "agent planted: a step reaches it over a queue, and infra/entities/service-bus.json has no agent-requests-planted",
  ]);
  const elsewhere = [...available.services, { name: "planted", port: 7098 }];
  const misnamed = { ...planted, service: { ...planted.service, setting: "PlantedUrl" } };
  const asked = { serviceAgents: [misnamed], agentsAskedByQueue: new Set<string>() };
  expect(missingFor(asked, { ...available, services: elsewhere })).toEqual([
    "agent planted: its setting PlantedUrl has to end in Endpoints",
    "agent planted: samples/remotes.ts has its service on port 7098, and service.local is http://127.0.0.1:7099",
  ]);
});

test("the app is given the address of each simulated service that runs", () => {
  const remotes = Object.fromEntries(serviceAgents.map(({ name }, at) => [name, `http://127.0.0.1:${9000 + at}`]));
  const settings = settingsFor({ remotes, hosts: [] });
  for (const { name, service } of serviceAgents) expect(settings[service.setting]).toBe(remotes[name]);
  const [first] = serviceAgents;
  expect(settingsFor({ remotes: {}, hosts: [] })[first?.service.setting ?? ""]).toBe(first?.service.local);
});

test.each([80, 120, undefined])(
  "the table has each agent with its operations and its setting; columns: %s",
  (columns) => {
    const table = stripVTControlCharacters(agentTable(business, columns));
    if (columns) expect(Math.max(...table.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(columns);
    for (const [name, { operations }] of business.knownAgents) {
      const line = table.split("\n").find((one) => new RegExp(`^\\W*${name}\\b`).test(one)) ?? "";
      expect(line).toContain(operations[0]);
      const setting = serviceAgents.find((agent) => agent.name === name)?.service.setting;
      if (setting) expect(line).toContain(setting);
    }
  },
);
