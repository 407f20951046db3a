// `npm run workflows`: what the workflows look like, drawn from their definitions; whether they can run.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { knownRules, workflowFaults } from "@scheduler-agent-supervisor/core/domain";
import { business } from "../shared/business.ts";
import { readArguments, runCommand, UsageError } from "./every-app/arguments.ts";
import { columnsFor } from "./every-app/wrapped.ts";
import { ROOT } from "./settings.ts";
import { mermaidOf } from "./workflows/mermaid.ts";
import { workflowsPage } from "./workflows/page.ts";
import { drawn } from "./workflows/terminal.ts";

const { knownAgents, rules, workflows } = business;

const PAGE = "docs/reference/workflows.md";
const USAGE = `npm run workflows [-- NAME] [-- OPTIONS]
  NAME        one workflow, in all of its versions; default: all workflows
  --check     only lists their faults: exit code 1 if there are any
  --mermaid   as Mermaid flowcharts
  --write     writes ${PAGE} anew`;

await runCommand(async () => {
  const flag = { type: "boolean" } as const;
  const options = { check: flag, mermaid: flag, write: flag };
  const { values, positionals } = readArguments(options, USAGE, "words");
  const own = workflows.flatMap((workflow) => workflowFaults(workflow, knownAgents, knownRules(rules)));
  const faults = [...own, ...business.serviceFaults()];
  if (faults.length > 0) {
    console.error(`The workflows can't run:\n  ${faults.join("\n  ")}`);
    return 1;
  }
  if (values["check"]) {
    console.log(`${workflows.length} versions of workflows can run.`);
    return 0;
  }
  if (values["write"]) {
    const file = join(ROOT, PAGE);
    if (!existsSync(file)) throw new Error(`There is no ${PAGE} here to write; --mermaid prints the flowcharts.`);
    const present = readFileSync(file, "utf8");
    const page = workflowsPage(present, workflows);
    if (page !== present) writeFileSync(file, page);
    console.log(page === present ? "Nothing is stale." : `Written: ${PAGE}`);
    return 0;
  }
  const [name] = positionals;
  const chosen = workflows.filter((workflow) => name === undefined || workflow.name === name);
  if (chosen.length === 0) {
    const names = [...new Set(workflows.map((workflow) => workflow.name))].join(", ");
    throw new UsageError(`There is no workflow ${name}; there are ${names}`);
  }
  for (const workflow of chosen)
    console.log(values["mermaid"] ? `${mermaidOf(workflow)}\n` : drawn(workflow, columnsFor(process.stdout)));
  return 0;
});
