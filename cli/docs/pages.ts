// The pages of docs/: in which order a newcomer reads them, their titles and their anchors.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../settings.ts";

export const DOCS = join(ROOT, "docs");

export interface Section {
  readonly title: string;
  readonly pages: readonly Page[];
}

interface Page {
  readonly title: string;
  /** Below docs/, without its ending. */
  readonly path: string;
}

/** Folder, heading, and the pages that stand first. The others follow by name. */
const SECTIONS: readonly (readonly [folder: string, title: string, first: readonly string[]])[] = [
  [".", "Start here", ["index", "quick-start", "concepts", "simulator", "glossary"]],
  ["tutorial", "Tutorial", ["samples", "trip"]],
  [
    "how-to",
    "How to",
    [
      "new-app",
      "submitting",
      "long-running-steps",
      "agents-elsewhere",
      "testing",
      "local-development",
      "deploy",
      "deploy-bicep",
      "pipelines",
      "identity",
      "service-sign-in",
      "upgrade",
      "console",
      "runbooks",
      "retention",
      "regions",
      "real-host",
    ],
  ],
  [
    "reference",
    "Reference",
    ["pattern", "workflow-definition", "workflows", "settings", "commands", "operator-api", "telemetry"],
  ],
  ["explanation", "Explanation", ["architecture", "where-we-differ", "performance", "threat-model"]],
  ["explanation/adr", "Decisions", ["index"]],
];

export function sections(): Section[] {
  return SECTIONS.map(([folder, title, first]) => {
    const names = globSync("*.md", { cwd: join(DOCS, folder) })
      .map((file) => file.replace(/\.md$/, ""))
      .sort((one, other) => placeOf(first, one) - placeOf(first, other) || one.localeCompare(other));
    return {
      title,
      pages: names.map((name) => {
        const path = folder === "." ? name : `${folder}/${name}`;
        return { path, title: titleOf(readFileSync(join(DOCS, `${path}.md`), "utf8")) };
      }),
    };
  });
}

function placeOf(first: readonly string[], name: string): number {
  const at = first.indexOf(name);
  return at < 0 ? first.length : at;
}

function titleOf(page: string): string {
  return (/^# (.+)$/m.exec(page)?.[1] ?? "").replaceAll("`", "");
}

/** A heading's anchor as GitHub makes it, so that a link holds on both. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .trim()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, "")
    .replaceAll(" ", "-");
}
