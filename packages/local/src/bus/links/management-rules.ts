// The rules of a subscription over AMQP (Service Bus documentation, "AMQP request/response operations", "Rule operations").
import type { Typed } from "rhea";
import type { Entity } from "../entities/entity.ts";
import { isPartName } from "../entities/entity-path.ts";
import { QuotaExceeded } from "../entities/quotas.ts";
import type { ArmProperties } from "../queue/queue-settings.ts";
import { types } from "../rhea-internals.ts";
import { parseRule, type Rule } from "../rules/rule.ts";
import { encodeValue, readValues, writeText } from "../rules/rule-values.ts";
import {
  type Body,
  isBody,
  type ManagementTarget,
  NO_CONTENT,
  OK,
  ok,
  refusal,
  toNumber,
} from "./management-answers.ts";
import type { Response } from "./request-link.ts";

/** The descriptors of the lists in which rules are answered. */
const CODES = {
  ruleDescription: 0x0137_0000_0004,
  emptyAction: 0x0137_0000_0005,
  sqlAction: 0x0137_0000_0006,
  sqlFilter: 0x13_7000_0006,
  trueFilter: 0x13_7000_0007,
  falseFilter: 0x13_7000_0008,
  correlationFilter: 0x13_7000_0009,
};

/** The fields of a correlation filter, in the order in which they are answered, and what ARM calls them. */
const CORRELATION = [
  ["correlation-id", "correlationId"],
  ["message-id", "messageId"],
  ["to", "to"],
  ["reply-to", "replyTo"],
  ["label", "label"],
  ["session-id", "sessionId"],
  ["reply-to-session-id", "replyToSessionId"],
  ["content-type", "contentType"],
] as const;

const NO_SUBSCRIPTION = refusal(400, "amqp:not-allowed", "Only a subscription has rules.");

export async function addRule({ entity, catalog, now }: ManagementTarget, body: Body): Promise<Response> {
  if (!entity?.rules) return NO_SUBSCRIPTION;
  const { "rule-name": name, "rule-description": description } = body;
  if (typeof name !== "string" || !isPartName(name)) return invalid(`${String(name)} is no name of a rule.`);
  if (entity.rules.get(name)) {
    // Clients look for these words.
    return refusal(409, "com.microsoft:entity-already-exists", `${entityOf(entity, name)} already exists.`);
  }
  const properties = isBody(description) ? readDescription(description) : "The rule has no description.";
  const rule = typeof properties === "string" ? properties : parseRule(name, properties, now());
  if (typeof rule === "string") return invalid(rule);
  try {
    await catalog.putRule(entity, rule);
  } catch (cause) {
    if (cause instanceof QuotaExceeded) return refusal(403, "amqp:resource-limit-exceeded", cause.message);
    throw cause;
  }
  return OK;
}

export async function removeRule({ entity, catalog }: ManagementTarget, body: Body): Promise<Response> {
  if (!entity?.rules) return NO_SUBSCRIPTION;
  const name = String(body["rule-name"]);
  if (await catalog.deleteRule(entity, name)) return OK;
  return refusal(404, "amqp:not-found", `${entityOf(entity, name)} could not be found.`);
}

function entityOf({ row }: Entity, rule: string): string {
  return `The messaging entity '${row.name}/Rules/${rule}'`;
}

export function enumerateRules({ entity }: ManagementTarget, body: Body): Response {
  if (!entity?.rules) return NO_SUBSCRIPTION;
  const skip = toNumber(body["skip"]);
  const rules = entity.rules.all().slice(skip, skip + toNumber(body["top"]));
  if (rules.length === 0) return NO_CONTENT;
  return ok({ rules: rules.map((rule) => ({ "rule-description": writeDescription(rule) })) });
}

function invalid(description: string): Response {
  return refusal(400, "com.microsoft:argument-error", description);
}

/** A text says what is wrong. */
function readDescription(description: Body): ArmProperties | string {
  const { "sql-filter": sql, "correlation-filter": correlation, "sql-rule-action": action } = description;
  const sqlExpression = isBody(action) ? action["expression"] : undefined;
  const withAction = typeof sqlExpression === "string" ? { action: { sqlExpression } } : {};
  if (isBody(sql)) {
    return { filterType: "SqlFilter", sqlFilter: { sqlExpression: String(sql["expression"]) }, ...withAction };
  }
  if (!isBody(correlation)) return { ...withAction };
  const system = CORRELATION.flatMap(([field, name]) => {
    const value = correlation[field];
    return value === undefined || value === null ? [] : [[name, String(value)]];
  });
  const properties: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(isBody(correlation["properties"]) ? correlation["properties"] : {})) {
    const text = writeText(value);
    if (!text) return `The property ${name} has a type that a filter cannot compare.`;
    properties[name] = text;
  }
  return {
    filterType: "CorrelationFilter",
    correlationFilter: { ...Object.fromEntries(system), properties },
    ...withAction,
  };
}

function writeDescription({ name, properties }: Rule): Typed {
  const { action, correlationFilter, filterType, sqlFilter } = properties;
  const expression = action?.sqlExpression;
  const isCorrelation = filterType === "CorrelationFilter" && correlationFilter;
  return described(CODES.ruleDescription, [
    isCorrelation ? writeCorrelation(correlationFilter) : writeSql(sqlFilter?.sqlExpression ?? "1=1"),
    expression === undefined ? described(CODES.emptyAction, []) : described(CODES.sqlAction, [expression]),
    name,
  ]);
}

function writeSql(expression: string): Typed {
  if (expression === "1=1") return described(CODES.trueFilter, []);
  return expression === "1=0" ? described(CODES.falseFilter, []) : described(CODES.sqlFilter, [expression]);
}

function writeCorrelation(filter: NonNullable<Rule["properties"]["correlationFilter"]>): Typed {
  const values = Object.entries(readValues(filter.properties)).map(([name, value]) => [name, encodeValue(value)]);
  const fields = CORRELATION.map(([, name]) => filter[name] ?? null);
  return described(CODES.correlationFilter, [...fields, types.wrap_map(Object.fromEntries(values))]);
}

function described(code: number, fields: readonly unknown[]): Typed {
  return types.described(types.wrap_ulong(code), types.wrap_list(fields));
}
