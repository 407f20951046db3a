// What a planted fault does to one function: found in its syntax tree, so that neither another layout nor a new name of a local breaks it.
import { parseSync } from "rolldown/utils";

/**
 * A place is named by what is mentioned there: a function, a member, a constant or a text. It has to be the only one of its kind in the function;
 * of one inside another the outer one counts; `name 2` is the second.
 */
export type Change =
  /** The statement that calls it is left out. */
  | readonly ["drop call", callee: string]
  /** The statements that call them change places. */
  | readonly ["swap", callee: string, other: string]
  /** Another function is called. */
  | readonly ["call", callee: string, instead: string]
  /** The condition of an `if`, or before a `?`. */
  | readonly ["never" | "always" | "negate", mentioned: string]
  /** The operand of `&&` or `||` is left out. */
  | readonly ["drop term", mentioned: string]
  /** The element of a list is left out. */
  | readonly ["drop element", mentioned: string]
  /** The member of an object literal, also one that is spread in, is left out. */
  | readonly ["drop member", name: string]
  | readonly ["set member", name: string, value: string]
  /** The operator, as `<`, is another one. */
  | readonly ["operator", from: string, to: string]
  /** The function returns this at once. */
  | readonly ["return", value: string]
  /** The constant has another value. */
  | readonly ["value", value: string]
  /** For what the others can't say: a part of the function as it is written. */
  | readonly ["text", from: string, to: string];

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

interface Edit extends Pick<Node, "start" | "end"> {
  readonly put: string;
}

/** @throws with what is not there, or not the only one */
export function changed(source: string, place: string, change: Change): string {
  const edits = editsOf(declared(place, programOf(source)), change, source);
  return edits
    .toSorted((one, other) => other.start - one.start)
    .reduce((text, { start, end, put }) => text.slice(0, start) + put + text.slice(end), source);
}

/** @throws if it can't be parsed */
export function programOf(source: string): Node {
  const { program, errors } = parseSync("source.ts", source);
  if (errors[0]) throw new Error(errors[0].message);
  return program as unknown as Node;
}

/** A function, a method, a constant or a class; `outer.inner` is inside another one. */
function declared(names: string, program: Node): Node {
  return names.split(".").reduce((within, name) => declaredIn(within, name), program);
}

function declaredIn(within: Node, name: string): Node {
  return only(within, `function ${name}`, undefined, (node) => {
    const { type, id, key, value } = node as Node & Record<"id" | "key" | "value", Node | undefined>;
    const isNamed = type === "VariableDeclarator" || type === "FunctionDeclaration" || type === "ClassDeclaration";
    const isMember = type === "MethodDefinition" || (type === "Property" && /Function/.test(value?.type ?? ""));
    return (isNamed && nameOf(id) === name) || (isMember && nameOf(key) === name) ? [node] : [];
  });
}

function editsOf(within: Node, change: Change, source: string): readonly Edit[] {
  const [kind, first, second = ""] = change;
  const [wanted = "", nth] = first.split(/ (?=\d$)/);
  const textOf = ({ start, end }: Node) => source.slice(start, end);
  const the = (found: (node: Node) => readonly Edit[]) => [only(within, change.join(" "), nth, found)];
  const members = (put: string) =>
    the(({ type, properties }) => {
      const own = type === "ObjectExpression" ? nodesIn(properties).filter((member) => sets(member, wanted)) : [];
      return own.map((member) => edit(member, put));
    });
  switch (kind) {
    case "drop call":
      return the((node) => (isCallOf(wanted, node["expression"]) ? [edit(node, "{}")] : []));
    case "swap": {
      const statement = (callee: string) =>
        only(within, callee, undefined, (node) => {
          const isIt =
            isCallOf(callee, node["expression"]) ||
            nodesIn(node["declarations"]).some(({ init }) => isCallOf(callee, init));
          return isIt ? [node] : [];
        });
      const [one, other] = [statement(first), statement(second)];
      return [edit(one, textOf(other)), edit(other, textOf(one))];
    }
    case "call":
      return the(({ type, callee }) =>
        type === "CallExpression" && nameOf(callee) === wanted ? [edit(lastOf(callee as Node), second)] : [],
      );
    case "never":
    case "always":
    case "negate":
      return the(({ test }) => {
        if (!isNode(test) || !mentions(test, wanted)) return [];
        return [edit(test, kind === "negate" ? `!(${textOf(test)})` : String(kind === "always"))];
      });
    case "drop term":
      return the(({ type, operator, left, right }) => {
        const operands = type === "LogicalExpression" && operator !== "??" ? nodesIn([left, right]) : [];
        const own = operands.filter((operand) => operand["operator"] !== operator && mentions(operand, wanted));
        return own.map((operand) => edit(operand, String(operator === "&&")));
      });
    case "drop element":
      return the(({ elements }) =>
        nodesIn(elements).flatMap((element) => (mentions(element, wanted) ? [edit(element, "...[]")] : [])),
      );
    case "drop member":
      return members("...{}");
    case "set member":
      return members(`${wanted}: ${second}`);
    case "operator":
      return the(({ operator, left, right }) => {
        if (operator !== wanted) return [];
        const start = source.indexOf(wanted, (left as Node).end);
        return start < (right as Node).start ? [{ start, end: start + wanted.length, put: second }] : [];
      });
    case "return":
      return [{ ...bodyOf(within), put: ` return ${first};` }];
    case "value":
      return [edit(within["init"] as Node, first)];
    case "text": {
      const parts = textOf(within).split(first);
      if (parts.length !== 2) throw new Error(`"${first}" is there ${parts.length - 1} times`);
      return [edit(within, parts.join(second))];
    }
    default:
      return kind satisfies never;
  }
}

const edit = ({ start, end }: Node, put: string): Edit => ({ start, end, put });

const isNode = (value: unknown): value is Node => typeof (value as Partial<Node> | null)?.type === "string";
const nodesIn = (value: unknown): Node[] => [value].flat().filter(isNode);
const childrenOf = (node: Node): Node[] => Object.values(node).flatMap(nodesIn);

/** The only one that is found, or the nth; what is inside of one is not looked at. */
function only<T>(within: Node, words: string, nth: string | undefined, found: (node: Node) => readonly T[]): T {
  const all = (node: Node): T[] => {
    const own = found(node);
    return own.length > 0 ? [...own] : childrenOf(node).flatMap(all);
  };
  const places = all(within);
  const place = places[nth === undefined ? 0 : Number(nth) - 1];
  if (place === undefined || (nth === undefined && places.length > 1))
    throw new Error(`${words}: there are ${places.length}`);
  return place;
}

/** The last name of `a.b.c`, and what a name or a text says. */
function lastOf(node: Node): Node {
  return isNode(node["property"]) ? node["property"] : node;
}

function nameOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  const { name, value } = lastOf(node);
  return ["string", "number"].includes(typeof (name ?? value)) ? String(name ?? value) : undefined;
}

function mentions(node: Node, wanted: string): boolean {
  return nameOf(node) === wanted || childrenOf(node).some((child) => mentions(child, wanted));
}

/** A call, also an awaited one. */
function isCallOf(callee: string, expression: unknown): boolean {
  if (!isNode(expression)) return false;
  const { type, argument } = expression;
  if (type === "AwaitExpression") return isCallOf(callee, argument);
  return type === "CallExpression" && nameOf(expression["callee"]) === callee;
}

/** `name: …`, `name`, or `...(… && { name })`. */
function sets(member: Node, name: string): boolean {
  if (member.type === "Property") return nameOf(member["key"]) === name;
  const isWithin = (node: Node): boolean =>
    node.type === "ObjectExpression"
      ? nodesIn(node["properties"]).some((inner) => sets(inner, name))
      : childrenOf(node).some(isWithin);
  return isWithin(member);
}

/** The place after its first brace. */
function bodyOf(within: Node): Pick<Node, "start" | "end"> {
  const { start } = only(within, "a body", "1", (node) => (node.type === "BlockStatement" ? [node] : []));
  return { start: start + 1, end: start + 1 };
}
