// Atom entries of rules: filters, actions, and the typed values in both.

import type { ArmProperties } from "../queue/queue-settings.ts";
import type { Rule, RuleProperties } from "../rules/rule.ts";
import type { TypedText } from "../rules/rule-values.ts";
import { child, children, readContent, tag, textOf, writeEntry, type XmlElement, XmlFault } from "./atom.ts";

const SCHEMA = "http://www.w3.org/2001/XMLSchema";
/** The elements of a correlation filter, in the service's order, and what ARM calls them. */
const CORRELATION = [
  ["CorrelationId", "correlationId"],
  ["MessageId", "messageId"],
  ["To", "to"],
  ["ReplyTo", "replyTo"],
  ["Label", "label"],
  ["SessionId", "sessionId"],
  ["ReplyToSessionId", "replyToSessionId"],
  ["ContentType", "contentType"],
] as const;
const FILTERS = new Set(["SqlFilter", "TrueFilter", "FalseFilter", "CorrelationFilter"]);
const PAIR = "KeyValueOfstringanyType";

/** The rule that an entry describes, unchecked; `undefined` if it describes none. */
export function readRule(xml: string): ArmProperties | undefined {
  const description = readContent(xml, "RuleDescription");
  return description === undefined ? undefined : readRuleDescription(description);
}

export function readRuleDescription(description: XmlElement): ArmProperties {
  const filter = child(description, "Filter");
  const action = child(description, "Action");
  const sqlExpression = textOf(child(action, "SqlExpression"));
  return {
    ...readFilter(filter),
    ...(sqlExpression === undefined ? {} : { action: { sqlExpression, parameters: readPairs(action, "Parameters") } }),
  };
}

function readFilter(filter: XmlElement | undefined): ArmProperties {
  const type = textOf(child(filter, "@type"))?.replace(/^.*:/, "");
  if (type === "FalseFilter") return { filterType: "SqlFilter", sqlFilter: { sqlExpression: "1=0" } };
  if (type !== undefined && !FILTERS.has(type)) throw new XmlFault(`${type} is no filter`);
  if (type !== "CorrelationFilter") {
    const sqlExpression = textOf(child(filter, "SqlExpression")) ?? (type === "SqlFilter" ? "" : "1=1");
    return { filterType: "SqlFilter", sqlFilter: { sqlExpression, parameters: readPairs(filter, "Parameters") } };
  }
  const system = CORRELATION.flatMap(([element, name]) => {
    const text = textOf(child(filter, element));
    return text === undefined ? [] : [[name, text]];
  });
  const properties = readPairs(filter, "Properties");
  return { filterType: "CorrelationFilter", correlationFilter: { ...Object.fromEntries(system), properties } };
}

function readPairs(owner: XmlElement | undefined, name: string): Record<string, TypedText> {
  const pairs = children(child(owner, name), PAIR).map((pair) => {
    const value = child(pair, "Value");
    const type = textOf(child(value, "@type"))?.replace(/^.*:/, "") ?? "string";
    return [textOf(child(pair, "Key")) ?? "", { type, value: textOf(value) ?? "" }];
  });
  return Object.fromEntries(pairs) as Record<string, TypedText>;
}

/** @param path of the subscription. */
export function writeRule(base: string, path: string, rule: Rule): string {
  const { name, createdAt, properties } = rule;
  const frame = { id: `${base}/${path}/Rules/${name}`, title: name, createdAt, updatedAt: createdAt };
  return writeEntry(frame, "RuleDescription", [
    writeFilter(properties),
    writeAction(properties),
    tag("CreatedAt", new Date(createdAt).toISOString()),
    tag("Name", name),
  ]);
}

function writeFilter({ filterType, sqlFilter, correlationFilter }: RuleProperties): string {
  if (filterType === "CorrelationFilter" && correlationFilter) {
    const system = CORRELATION.flatMap(([element, name]) => {
      const text = correlationFilter[name];
      return text === undefined ? [] : tag(element, text);
    });
    const pairs = writePairs("Properties", correlationFilter.properties);
    return `<Filter i:type="CorrelationFilter">${system.join("")}${pairs}</Filter>`;
  }
  const { sqlExpression = "1=1", parameters = {} } = sqlFilter ?? {};
  const known: Readonly<Record<string, string>> = { "1=1": "TrueFilter", "1=0": "FalseFilter" };
  const content = `${tag("SqlExpression", sqlExpression)}${tag("CompatibilityLevel", "20")}`;
  return `<Filter i:type="${known[sqlExpression] ?? "SqlFilter"}">${content}${writePairs("Parameters", parameters)}</Filter>`;
}

function writeAction({ action }: RuleProperties): string {
  if (action?.sqlExpression === undefined) return '<Action i:type="EmptyRuleAction"/>';
  const content = `${tag("SqlExpression", action.sqlExpression)}${tag("CompatibilityLevel", "20")}`;
  return `<Action i:type="SqlRuleAction">${content}${writePairs("Parameters", action.parameters)}</Action>`;
}

/** The client cuts the type's prefix off by its length. */
function writePairs(name: string, pairs: Readonly<Record<string, TypedText>>): string {
  const written = Object.entries(pairs).map(([key, { type, value }]) => {
    const typed = tag("Value", value).replace("<Value>", `<Value i:type="d6p1:${type}" xmlns:d6p1="${SCHEMA}">`);
    return `<${PAIR}>${tag("Key", key)}${typed}</${PAIR}>`;
  });
  return written.length === 0 ? "" : `<${name}>${written.join("")}</${name}>`;
}
