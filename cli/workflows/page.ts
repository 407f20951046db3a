// docs/reference/workflows.md: what stands between two marks is drawn.
import type { Workflow } from "@scheduler-agent-supervisor/core/workflows";
import { sectionsOf } from "./mermaid.ts";

const BEGIN = "<!-- npm run workflows -- --write -->";
const END = "<!-- end -->";

/** The first workflow, in its newest version; the site has the others too. @throws where the page has lost the line from which on it is drawn */
export function workflowsPage(page: string, workflows: readonly Workflow[]): string {
  const [above, below] = page.split(BEGIN);
  if (above === undefined || !below?.includes(END))
    throw new Error(`docs/reference/workflows.md has no ${BEGIN} … ${END}`);
  return `${above}${BEGIN}\n\n${sectionsOf(newestOf(workflows).slice(0, 1))}\n${END}${below.split(END)[1]}`;
}

/** The newest version of each. */
export function newestOf(workflows: readonly Workflow[]): Workflow[] {
  return workflows.filter(
    ({ name, version }) => !workflows.some((other) => other.name === name && other.version > version),
  );
}
