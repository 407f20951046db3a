// The API reference: a page for each entry of the core, one for its functions and for each other package, made of the docstrings.
import { anchorOf } from "../pages.ts";
import { type Declaration, typesNamedBy } from "./declarations.ts";
import { type Entry, entries } from "./entries.ts";

interface Section {
  readonly title: string;
  readonly about?: string;
  readonly declarations: readonly Declaration[];
}

interface Page {
  /** In docs/reference/api/, without its ending. */
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly sections: readonly Section[];
}

const SCOPE = "@scheduler-agent-supervisor/";
const MADE = "<!-- Generated from the docstrings in the sources: npm run docs -- --write -->";
const SEVERAL: { readonly [name: string]: string } = {
  "core/functions": "The handlers for the files in `functions/` of an app, with the app from `createApp`.",
  local: "The local stack as a whole, and each of its parts in the calling process.",
};

/** File name in docs/reference/api/ → text. */
export function apiPages(all: readonly Entry[] = entries()): ReadonlyMap<string, string> {
  const pages = pagesOf(all);
  const anchors = new Map(pages.map((page) => [page, anchorsOf(page)]));
  // Where a type stands on several pages the first one counts, unless it is on the page itself.
  const everywhere = new Map<string, string>();
  for (const [{ name }, own] of anchors)
    for (const [key, anchor] of own) if (!everywhere.has(key)) everywhere.set(key, `${name}.md${anchor}`);
  const texts = pages.map((page): [string, string] => {
    const links = new Map([...everywhere, ...(anchors.get(page) ?? [])]);
    return [`${page.name}.md`, textOf(page, links)];
  });
  return new Map([["index.md", indexOf(pages)], ...texts]);
}

function pagesOf(all: readonly Entry[]): Page[] {
  const groups = Map.groupBy(
    all,
    ({ name }) => Object.keys(SEVERAL).find((one) => `${name}/`.startsWith(`${one}/`)) ?? name,
  );
  const published = new Set(all.flatMap(({ exported }) => [...exported.values()].map(keyOf)));
  return [...groups].map(([title, members]) => {
    const about = SEVERAL[title] ?? members[0]?.about ?? "";
    const own = members.flatMap(({ exported }) => [...exported.values()]);
    const others = own.flatMap(typesNamedBy).filter((one) => !published.has(keyOf(one)));
    const sections = title in SEVERAL ? members.map(entrySection) : kindSections(own);
    const used = {
      title: "Used by these",
      declarations: [...new Map(others.map((one) => [keyOf(one), one])).values()],
    };
    return { name: title.replaceAll("/", "-"), title, about, sections: [...sections, used].filter(isFilled) };
  });
}

function entrySection({ name, about, exported }: Entry): Section {
  return { title: name, about, declarations: [...exported.values()] };
}

function kindSections(own: readonly Declaration[]): Section[] {
  const isType = ({ text }: Declaration) => /^(type|interface) /.test(text);
  return [
    { title: "Functions and values", declarations: own.filter((one) => !isType(one)) },
    { title: "Types", declarations: own.filter(isType) },
  ];
}

function isFilled({ declarations }: Section): boolean {
  return declarations.length > 0;
}

function keyOf({ file, name }: Declaration): string {
  return `${file} ${name}`;
}

/** Declaration → its anchor. Of two equal headings the second gets a number, on GitHub and on the site. */
function anchorsOf({ title: heading, sections }: Page): [key: string, anchor: string][] {
  const seen = new Map<string, number>();
  const numbered = (text: string) => {
    const anchor = anchorOf(text);
    const before = seen.get(anchor) ?? 0;
    seen.set(anchor, before + 1);
    return before === 0 ? `#${anchor}` : `#${anchor}-${before}`;
  };
  numbered(heading);
  return sections.flatMap(({ title, declarations }) => {
    numbered(title);
    return declarations.map((one): [string, string] => [keyOf(one), numbered(one.name)]);
  });
}

function indexOf(pages: readonly Page[]): string {
  const rows = pages.map(
    ({ name, title, about }) => `| [\`${SCOPE}${title}\`](${name}.md) | ${inProse(about).replaceAll("\n", " ")} |`,
  );
  return `# API reference

${MADE}

The exports of the packages, generated from the docstrings in their sources. A number such as P6 is a row of [the pattern's table](../pattern.md).
Members without a question mark are required. Durations are in milliseconds where the name ends in \`Ms\`; instants are ISO 8601 in UTC.

| entry | purpose |
| --- | --- |
${rows.join("\n")}
`;
}

function textOf({ title, about, sections }: Page, links: ReadonlyMap<string, string>): string {
  const parts = sections.flatMap((section) => [
    `## ${section.title}`,
    ...(section.about ? [inProse(section.about)] : []),
    ...section.declarations.flatMap((one) => declarationText(one, links)),
  ]);
  return `${[`# ${title}`, MADE, inProse(about), ...parts].join("\n\n")}\n`;
}

function declarationText(one: Declaration, links: ReadonlyMap<string, string>): string[] {
  const others = typesNamedBy(one).flatMap((other) => {
    const link = links.get(keyOf(other));
    return link && keyOf(other) !== keyOf(one) ? [`[\`${other.name}\`](${link})`] : [];
  });
  const code = one.text.replaceAll(/import\("[^"]+"\)\./g, "").replaceAll(/^ +#private;\n/gm, "");
  return [
    `### ${one.name}`,
    ...(one.doc ? [docText(one.doc)] : []),
    `\`\`\`ts\n${code}\n\`\`\``,
    ...(others.length > 0 ? [`See ${others.join(", ")}.`] : []),
  ];
}

const TAG = /(?:^|\s)@(?=(?:throws|param|returns|template)\s)/;

/** What a docstring says before its tags. */
export function wordsOf(doc: string): string {
  return (doc.split(TAG)[0] ?? "").trim();
}

/** Its tags are a list below its text. */
function docText(doc: string): string {
  const lines = doc
    .split(TAG)
    .slice(1)
    .map((tag) => {
      const [, kind = "", rest = ""] = /^(\w+)\s+([\s\S]*?)\s*$/.exec(tag) ?? [];
      if (kind === "throws") return `- Throws ${rest}`;
      if (kind === "returns") return `- Returns ${rest}`;
      return `- ${rest.replace(/^(\w+)\s+/, "`$1`: ")}`;
    });
  return inProse([wordsOf(doc), ...(lines.length > 0 ? [lines.join("\n")] : [])].join("\n\n"));
}

/** Outside of code a bracket would begin an element of the page. */
function inProse(text: string): string {
  return text.replaceAll(/(`[^`]*`)|</g, (_, code?: string) => code ?? "&lt;");
}
