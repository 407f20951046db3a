// Reads Bicep by its grammar: what a file declares, what it uses, and what is wrong with that.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Language, type Node, Parser } from "web-tree-sitter";

const grammar = createRequire(import.meta.url).resolve("tree-sitter-bicep/tree-sitter-bicep.wasm");

async function loadParser(): Promise<Parser> {
  await Parser.init();
  return new Parser().setLanguage(await Language.load(grammar));
}

const parser = await loadParser();

/** The grammar is older than `extension NAME`, which is left out here. */
export function parse(text: string): Node {
  const tree = parser.parse(text.replaceAll(/^extension .*$/gm, ""));
  if (!tree) throw new Error("nothing was parsed");
  return tree.rootNode;
}

interface Param {
  readonly name: string;
  readonly required: boolean;
  /** Of an object whose members its type names: these. */
  readonly members: readonly string[] | undefined;
}

export interface Declared {
  readonly params: readonly Param[];
  readonly outputs: readonly string[];
  /** Type and version, as in `Microsoft.Web/sites@2025-03-01`; nested ones as they are written. */
  readonly resources: readonly string[];
}

export function declared(root: Node): Declared {
  return {
    params: children(root, "parameter_declaration").map((node) => ({
      name: nameOf(node),
      required: !/^[^\n]*\s=\s/.test(textAfterType(node)),
      members: membersOf(node),
    })),
    outputs: children(root, "output_declaration").map(nameOf),
    resources: root.descendantsOfType("resource_declaration").map((node) => literal(node.namedChild(1))),
  };
}

/** Every fault of a file: syntax, names that nothing declares, names that nothing uses, modules called wrongly. */
export function faultsIn(path: string, text = readFileSync(path, "utf8")): string[] {
  const root = parse(text);
  const at = (node: Node) => `${path}:${node.startPosition.row + 1}`;
  const broken = [...walk(root)].find((node) => node.isError || node.isMissing);
  if (broken) return [`${at(broken)}: syntax: ${broken.text.slice(0, 40)}`];
  const modules = new Map<string, Declared>();
  const faults: string[] = [];
  for (const module of children(root, "module_declaration")) {
    const file = join(dirname(path), literal(module.namedChild(1)));
    if (!existsSync(file)) faults.push(`${at(module)}: there is no ${file}`);
    else {
      const known = declared(parse(readFileSync(file, "utf8")));
      modules.set(nameOf(module), known);
      faults.push(...argumentFaults(module, known).map((fault) => `${at(module)}: module ${nameOf(module)}: ${fault}`));
    }
  }
  return [
    ...faults,
    ...nameFaults(root, at),
    ...memberFaults(root, at),
    ...outputFaults(root, modules, at),
    ...fileFaults(root, path, at),
  ];
}

function argumentFaults(module: Node, { params }: Declared): string[] {
  const given = propertyOf(bodyOf(module), "params");
  const values = new Map(given ? properties(given) : []);
  const missing = params.filter(({ name, required }) => required && !values.has(name));
  const strange = [...values.keys()].filter((name) => !params.some((param) => param.name === name));
  return [
    ...missing.map(({ name }) => `${name} is not given`),
    ...strange.map((name) => `has no parameter ${name}`),
    ...params.flatMap(({ name, members }) => {
      const value = values.get(name);
      return members && value?.type === "object" ? objectFaults(name, value, members) : [];
    }),
  ];
}

function objectFaults(param: string, value: Node, members: readonly string[]): string[] {
  const names = properties(value).map(([name]) => name);
  return [
    ...members.filter((name) => !names.includes(name)).map((name) => `${param}.${name} is not given`),
    ...names.filter((name) => !members.includes(name)).map((name) => `${param} has no member ${name}`),
  ];
}

/** What is read of a parameter whose type does not name it. */
function memberFaults(root: Node, at: (node: Node) => string): string[] {
  const members = new Map(declared(root).params.map((param) => [param.name, param.members]));
  return root.descendantsOfType("member_expression").flatMap((node) => {
    const [, param = "", member = ""] = /^(\w+)\.(\w+)$/.exec(node.text) ?? [];
    const known = members.get(param);
    return known && !known.includes(member) ? [`${at(node)}: ${param} has no member ${member}`] : [];
  });
}

function nameFaults(root: Node, at: (node: Node) => string): string[] {
  const names = new Map<string, Node>();
  const used = new Set<string>();
  const faults: string[] = [];
  const kinds = ["parameter_declaration", "variable_declaration", "resource_declaration", "module_declaration"];
  for (const node of root.descendantsOfType(kinds)) {
    if (names.has(nameOf(node))) faults.push(`${at(node)}: ${nameOf(node)} is declared twice`);
    names.set(nameOf(node), node);
  }
  for (const node of root.descendantsOfType("identifier")) {
    if (isDeclaration(node)) continue;
    if (node.parent?.type === "call_expression" && node.parent.childForFieldName("function")?.equals(node)) {
      if (!FUNCTIONS.has(node.text)) faults.push(`${at(node)}: there is no function ${node.text}`);
    } else if (names.has(node.text)) used.add(node.text);
    else if (!isLocal(node)) faults.push(`${at(node)}: there is no ${node.text}`);
  }
  for (const [name, node] of names) {
    const unused = !used.has(name) && ["parameter_declaration", "variable_declaration"].includes(node.type);
    if (unused) faults.push(`${at(node)}: ${name} is not used`);
  }
  return faults;
}

function outputFaults(root: Node, modules: ReadonlyMap<string, Declared>, at: (node: Node) => string): string[] {
  return root.descendantsOfType("member_expression").flatMap((node) => {
    const [, module = "", output = ""] = /^(\w+)!?\.outputs\.(\w+)$/.exec(node.text) ?? [];
    const known = modules.get(module);
    return known && !known.outputs.includes(output) ? [`${at(node)}: module ${module} has no output ${output}`] : [];
  });
}

function fileFaults(root: Node, path: string, at: (node: Node) => string): string[] {
  return root.descendantsOfType("call_expression").flatMap((node) => {
    const [, file] = /^load\w+Content\('([^']+)'/.exec(node.text) ?? [];
    return file && !existsSync(join(dirname(path), file)) ? [`${at(node)}: there is no ${file}`] : [];
  });
}

/** What an object literal holds, by name. */
export function properties(object: Node): [name: string, value: Node][] {
  return children(object, "object_property").flatMap((property) => {
    const [key, value] = property.namedChildren.filter((child) => child !== null && child.type !== "comment");
    return key && value ? [[literal(key), value]] : [];
  });
}

function propertyOf(object: Node, name: string): Node | undefined {
  return properties(object).find(([key]) => key === name)?.[1];
}

/** The object that a declaration makes, whatever loop or condition stands round it. */
function bodyOf(declaration: Node): Node {
  const object = declaration.descendantsOfType("object").find((node) => node !== null);
  if (!object) throw new Error(`${nameOf(declaration)} makes no object`);
  return object;
}

/** The object that a variable is set to. */
export function variable(root: Node, name: string): Node {
  const found = children(root, "variable_declaration").find((node) => nameOf(node) === name);
  if (!found) throw new Error(`there is no variable ${name}`);
  return bodyOf(found);
}

/** A name, or a string without its quotes. */
export function literal(node: Node | null): string {
  return node?.text.replace(/^'|'$/g, "") ?? "";
}

const nameOf = (declaration: Node): string =>
  declaration.namedChildren.find((child) => child?.type === "identifier")?.text ?? "";

function* walk(node: Node): Generator<Node> {
  yield node;
  for (const child of node.children) if (child) yield* walk(child);
}

function children(node: Node, type: string): Node[] {
  return node.namedChildren.filter((child): child is Node => child?.type === type);
}

function membersOf(parameter: Node): string[] | undefined {
  const type = children(parameter, "type")[0]?.namedChild(0);
  return type?.type === "object" ? properties(type).map(([name]) => name) : undefined;
}

/** What follows a parameter's type: its default, if it has one. */
function textAfterType(parameter: Node): string {
  const type = children(parameter, "type")[0];
  return type ? parameter.text.slice(type.endIndex - parameter.startIndex) : "";
}

/** The name that a declaration, a property, a lambda or a loop gives. */
function isDeclaration(node: Node): boolean {
  const parent = node.parent;
  if (!parent) return false;
  if (parent.type === "object_property")
    return parent.namedChildren.find((child) => child !== null)?.equals(node) ?? false;
  if (parent.type === "resource_expression") return !(parent.childForFieldName("object")?.equals(node) ?? false);
  if (/_declaration$/.test(parent.type)) return parent.namedChild(0)?.equals(node) ?? false;
  return localsOf(parent).includes(node.text) && !(parent.childForFieldName("body")?.equals(node) ?? false);
}

function isLocal(node: Node): boolean {
  for (let scope = node.parent; scope; scope = scope.parent) if (localsOf(scope).includes(node.text)) return true;
  return false;
}

/** The names that a lambda or a loop brings. */
function localsOf({ type, text }: Node): string[] {
  const names =
    type === "lambda_expression"
      ? /^\(?([\w, ]+?)\)?\s*=>/.exec(text)?.[1]
      : type === "for_statement"
        ? /^\[?\s*for\s+\(?([\w, ]+?)\)?\s+in\b/.exec(text)?.[1]
        : undefined;
  return names?.split(/,\s*/) ?? [];
}

/** Of Bicep's own functions and decorators, those in use here. */
const FUNCTIONS = new Set(
  `allowed any batchSize cidrSubnet concat contains deployer description empty environment fail filter flatten guid indexOf intersection items join loadJsonContent
   loadTextContent map max maxLength maxValue metadata minLength minValue reduce replace resourceGroup resourceId split startsWith string subscription
   subscriptionResourceId tenant toLower toObject union uniqueString`.split(/\s+/),
);
