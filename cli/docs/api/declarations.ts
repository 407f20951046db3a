// Reads the type declarations that the compiler has emitted: what each module exports, its docstring, and which other types it names.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseSync, Visitor } from "rolldown/utils";

/** What is declared under one name. */
export interface Declaration {
  readonly name: string;
  /** The file of the declarations in which it stands. */
  readonly file: string;
  /** Its docstring without the marks of the comment; empty where it has none. */
  readonly doc: string;
  /** The declaration without `export declare` and docstring; with the docstrings of its members. */
  readonly text: string;
  /** The types it names. */
  readonly named: readonly string[];
}

interface Place {
  readonly file: string;
  readonly name: string;
}

interface Module {
  readonly declared: ReadonlyMap<string, Declaration>;
  /** Exported name → where it is declared or exported on. */
  readonly exported: ReadonlyMap<string, Place>;
  readonly imported: ReadonlyMap<string, Place>;
}

type Program = ReturnType<typeof parseSync>["program"];
type Statement = Program["body"][number];
type Comment = ReturnType<typeof parseSync>["comments"][number];

const parsed = new Map<string, Module>();

/** What a module exports, by the exported name, in the order of its text. */
export function exportsOf(file: string): ReadonlyMap<string, Declaration> {
  return new Map([...moduleOf(file).exported].map(([name, place]) => [name, declarationAt(place)]));
}

/** The types that a declaration names and that are declared in the same package. */
export function typesNamedBy({ file, named }: Declaration): Declaration[] {
  const { imported, declared } = moduleOf(file);
  return named.flatMap((name) => {
    const place = imported.get(name) ?? (declared.has(name) ? { file, name } : undefined);
    return place ? [declarationAt(place)] : [];
  });
}

/** @throws if nothing of that name is declared there */
function declarationAt({ file, name }: Place): Declaration {
  const { declared, exported } = moduleOf(file);
  const own = declared.get(name);
  if (own) return own;
  const onward = exported.get(name);
  if (!onward || onward.file === file) throw new Error(`${file} declares no ${name}`);
  return declarationAt(onward);
}

function moduleOf(file: string): Module {
  const module = parsed.get(file) ?? parse(file);
  parsed.set(file, module);
  return module;
}

function parse(file: string): Module {
  const source = readFileSync(file, "utf8");
  const { program, comments, errors } = parseSync(file, source, { lang: "dts" });
  if (errors.length > 0) throw new Error(`${file} cannot be read: ${errors[0]?.message}`);
  const declared = new Map<string, Declaration>();
  const exported = new Map<string, Place>();
  const imported = new Map<string, Place>();
  const placeIn = (path: string, name: string) => ({
    file: join(dirname(file), path.replace(/\.ts$/, ".d.ts")),
    name,
  });
  const declare = (statement: Statement, outer: Statement) => {
    for (const name of namesOf(statement)) {
      const doc = docBefore(outer.start, source, comments);
      const text = source.slice(statement.start, statement.end).replace(/^declare /, "");
      declared.set(name, { name, file, doc, text, named: typesIn(statement) });
      if (outer !== statement) exported.set(name, { file, name });
    }
  };
  for (const statement of program.body) {
    if (statement.type === "ImportDeclaration") {
      const path = statement.source.value;
      if (!path.startsWith(".")) continue;
      for (const one of statement.specifiers) {
        if (one.type !== "ImportSpecifier") throw new Error(`${file}: ${one.local.name} is imported as a whole`);
        imported.set(one.local.name, placeIn(path, nameOf(one.imported)));
      }
    } else if (statement.type === "ExportNamedDeclaration") {
      const path = statement.source?.value;
      if (statement.declaration) declare(statement.declaration, statement);
      for (const one of statement.specifiers) {
        const name = nameOf(one.local);
        exported.set(nameOf(one.exported), path ? placeIn(path, name) : (imported.get(name) ?? { file, name }));
      }
    } else if (statement.type === "ExportAllDeclaration") {
      const other = placeIn(statement.source.value, "").file;
      for (const name of moduleOf(other).exported.keys()) exported.set(name, { file: other, name });
    } else declare(statement, statement);
  }
  return { declared, exported, imported };
}

function namesOf(statement: Statement): string[] {
  if (statement.type === "VariableDeclaration") {
    return statement.declarations.flatMap(({ id }) => (id.type === "Identifier" ? [id.name] : []));
  }
  return "id" in statement && statement.id?.type === "Identifier" ? [statement.id.name] : [];
}

function nameOf(name: { readonly name: string } | { readonly value: string }): string {
  return "name" in name ? name.name : name.value;
}

/** The names of types in a statement, each once; of `z.ZodType` nothing. */
function typesIn(statement: Statement): string[] {
  const names = new Set<string>();
  const add = (node: { readonly type: string }) => {
    if (node.type === "Identifier" && "name" in node) names.add(String(node.name));
  };
  new Visitor({
    TSTypeReference: ({ typeName }) => add(typeName),
    TSInterfaceHeritage: ({ expression }) => add(expression),
    TSTypeQuery: ({ exprName }) => add(exprName),
    ClassDeclaration: ({ superClass }) => superClass && add(superClass),
  }).visit({ type: "Program", body: [statement] } as unknown as Program);
  return [...names];
}

function docBefore(start: number, source: string, comments: readonly Comment[]): string {
  const comment = comments.findLast(({ end }) => end <= start);
  const isNext = comment && source.slice(comment.end, start).trim() === "";
  if (!isNext || comment.type !== "Block" || !comment.value.startsWith("*")) return "";
  return comment.value
    .slice(1)
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, "").trimEnd())
    .join("\n")
    .trim();
}
