// The record of what services were seen to do: a typed file beside the agents, which the app passes to `defineApp`.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Business, CheckedOperation, CheckedServices } from "@scheduler-agent-supervisor/core/app";
import { ROOT } from "../every-app/root.ts";

export const checkedFile = "shared/checked-services.ts";

interface Checked {
  readonly operation: string;
  readonly verdicts: CheckedOperation;
}

/** Whether the record has these verdicts, whenever they were seen. */
export function isRecorded({ checkedServices }: Business, agent: string, checked: readonly Checked[]): boolean {
  const own = checkedServices[agent]?.operations ?? {};
  return checked.every(({ operation, verdicts }) => isDeepStrictEqual(own[operation], verdicts));
}

/** Takes the place of the agent's earlier verdicts, of the operations that were checked. */
export function writeChecked(business: Business, agent: string, checked: readonly Checked[]): void {
  writeFileSync(join(ROOT, checkedFile), checkedText(withVerdicts(business, agent, checked, today())));
}

/** @param at the day, ISO 8601 */
export function withVerdicts(
  { checkedServices, agents }: Pick<Business, "checkedServices" | "agents">,
  agent: string,
  checked: readonly Checked[],
  at: string,
): CheckedServices {
  const known = agents.find(({ name }) => name === agent)?.results ?? {};
  const verdicts = {
    ...checkedServices[agent]?.operations,
    ...Object.fromEntries(checked.map((one) => [one.operation, one.verdicts])),
  };
  const operations = Object.fromEntries(
    Object.keys(known).flatMap((operation) => {
      const { [operation]: own } = verdicts;
      return own === undefined ? [] : [[operation, own]];
    }),
  );
  const names = agents.map(({ name }) => name);
  const all = { ...checkedServices, [agent]: { at, operations } };
  // What the app does not have any more goes.
  return Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)));
}

export function checkedText(checked: CheckedServices): string {
  const lines = Object.entries(checked).flatMap(([agent, service]) => [
    `  ${agent}: {`,
    `    at: ${JSON.stringify(service?.at)},`,
    "    operations: {",
    ...Object.entries(service?.operations ?? {}).flatMap(([operation, verdicts = {}]) => [
      `      ${operation}: {`,
      ...Object.entries(verdicts).map(([check, verdict]) => `        ${check}: ${JSON.stringify(verdict)},`),
      "      },",
    ]),
    "    },",
    "  },",
  ]);
  const value = lines.length === 0 ? "{}" : `{\n${lines.join("\n")}\n}`;
  return `// What the agents' services were seen to do when they were checked. Written by \`npm run services:check -- --agent NAME --write\`.
import type { CheckedServices } from "@scheduler-agent-supervisor/core/app";
import type { agents } from "./agents.ts";

export const checkedServices: CheckedServices<typeof agents> = ${value};
`;
}

const today = () => new Date().toISOString().slice(0, 10);
