// docs/reference/workflows.md: what stands above its pictures is written manually.
import type { Workflow } from "@scheduler-agent-supervisor/core/internal/domain/workflow";
import { sectionsOf } from "./mermaid.ts";

const BEGIN = "<!-- Drawn by `npm run workflows -- --write` from here on. -->";

/** The newest version of each workflow. @throws where the page has lost the line from which on it is drawn */
export function workflowsPage(page: string, workflows: readonly Workflow[]): string {
  const [above, below] = page.split(BEGIN);
  if (above === undefined || below === undefined) throw new Error(`docs/reference/workflows.md has no line ${BEGIN}`);
  const newest = workflows.filter(
    ({ name, version }) => !workflows.some((other) => other.name === name && other.version > version),
  );
  return `${above}${BEGIN}\n\n${sectionsOf(newest)}`;
}
