// One rule of a subscription: which messages it selects, and what it changes in its copies of them.
import type { Typed } from "rhea";
import { z } from "zod";
import { withFields, withUserProperties } from "../encoded/message-changes.ts";
import { FIELDS, type MessageView } from "../encoded/message-view.ts";
import type { ArmProperties } from "../queue/queue-settings.ts";
import { types } from "../rhea-internals.ts";
import { evaluate, type Parameters, test } from "../sql/evaluate.ts";
import type { Statement } from "../sql/expression.ts";
import { SyntaxFault } from "../sql/lexer.ts";
import { parseAction, parseFilter } from "../sql/parser.ts";
import { compare, FilterFault, type Known, textOf, UNKNOWN } from "../sql/values.ts";
import { encodeValue, readValues, typedTexts } from "./rule-values.ts";

export const DEFAULT_RULE = "$Default";
/** The service adds it to each copy that a rule with an action makes. */
const RULE_NAME = "RuleName";

/** ARM's members without an effect, in Azure as well as here. */
const ignored = { requiresPreprocessing: z.boolean().optional(), compatibilityLevel: z.int().optional() };
const sql = z.strictObject({ sqlExpression: z.string(), parameters: typedTexts, ...ignored });
const text = z.string().optional();
const correlation = z.strictObject({
  correlationId: text,
  messageId: text,
  to: text,
  replyTo: text,
  label: text,
  sessionId: text,
  replyToSessionId: text,
  contentType: text,
  properties: typedTexts,
  requiresPreprocessing: ignored.requiresPreprocessing,
});
/** As written in ARM: Microsoft.ServiceBus/namespaces/topics/subscriptions/rules. */
const ruleProperties = z
  .strictObject({
    filterType: z.enum(["SqlFilter", "CorrelationFilter"]).default("SqlFilter"),
    sqlFilter: sql.optional(),
    correlationFilter: correlation.optional(),
    action: z.strictObject({ sqlExpression: z.string().optional(), parameters: typedTexts, ...ignored }).optional(),
  })
  .transform((rule) => (rule.filterType === "SqlFilter" ? { sqlFilter: sql.parse(TRUE), ...rule } : rule))
  .refine((rule) => rule.filterType === "SqlFilter" || hasCondition(rule.correlationFilter), {
    error: "a CorrelationFilter needs at least one condition",
  })
  .refine((rule) => rule.filterType === "CorrelationFilter" || !rule.correlationFilter, {
    error: "filterType has to be CorrelationFilter where there is a correlationFilter",
  });
const TRUE = { sqlExpression: "1=1" };

function hasCondition(filter: z.infer<typeof correlation> | undefined): boolean {
  const { properties = {}, requiresPreprocessing: _, ...system } = filter ?? {};
  return Object.keys(properties).length > 0 || Object.values(system).some((value) => value !== undefined);
}

export type RuleProperties = z.infer<typeof ruleProperties>;
type Matcher = (view: MessageView) => boolean;

export interface Rule {
  readonly name: string;
  readonly properties: RuleProperties;
  readonly createdAt: number;
  /** Throws a FilterFault. */
  readonly matches: Matcher;
  /** The copy that the action makes. Throws a FilterFault. `undefined`: the rule has no action. */
  readonly act: ((bytes: Buffer, view: MessageView) => Buffer) | undefined;
}

export type FilterKind = "sql" | "correlation" | "constant";

/** What selects all or nothing is taken for no SQL filter: a subscription's first rule is one. */
export function filterKind({ properties: { filterType, sqlFilter } }: Rule): FilterKind {
  if (filterType === "CorrelationFilter") return "correlation";
  return CONSTANT.has(sqlFilter?.sqlExpression ?? TRUE.sqlExpression) ? "constant" : "sql";
}

const CONSTANT = new Set(["1=1", "1=0"]);

/** A text says what is wrong. */
export function parseRule(name: string, properties: ArmProperties, createdAt: number): Rule | string {
  const { data, error } = ruleProperties.safeParse(properties);
  if (!data) return `Rule ${name}: ${z.prettifyError(error)}`;
  try {
    return { name, properties: data, createdAt, matches: matcherOf(data), act: actionOf(name, data) };
  } catch (cause) {
    if (cause instanceof SyntaxFault) return `Rule ${name}: ${cause.message}`;
    throw cause;
  }
}

function matcherOf({ sqlFilter, correlationFilter, filterType }: RuleProperties): Matcher {
  if (filterType === "CorrelationFilter" && correlationFilter) return correlationMatcher(correlationFilter);
  const predicate = parseFilter(sqlFilter?.sqlExpression ?? TRUE.sqlExpression);
  const parameters = readValues(sqlFilter?.parameters ?? {});
  return (view) => test(predicate, view, parameters) === true;
}

/** All that the filter names have to be equal; texts with regard to case. */
function correlationMatcher({ properties, requiresPreprocessing: _, ...system }: z.infer<typeof correlation>): Matcher {
  const wanted = Object.entries(readValues(properties));
  const fields = Object.entries(system).filter(([, value]) => value !== undefined);
  return (view) =>
    fields.every(([name, value]) => view.system(name) === value) &&
    wanted.every(([name, value]) => compare(view.user(name), value) === 0);
}

function actionOf(rule: string, { action }: RuleProperties): Rule["act"] {
  if (!action?.sqlExpression) return undefined;
  const statements = parseAction(action.sqlExpression);
  const parameters = readValues(action.parameters);
  return (bytes, view) => {
    const changes = new Changes(view);
    for (const statement of statements) changes.run(statement, parameters);
    changes.setUser(RULE_NAME, rule);
    return changes.applyTo(bytes);
  };
}

/** What the statements of an action have changed so far; each sees what those before it did. */
class Changes {
  readonly #view: MessageView;
  readonly #user = new Map<string, { readonly name: string; readonly value: Known }>();
  readonly #fields = new Map<number, string | null>();

  constructor(view: MessageView) {
    this.#view = view;
  }

  run(statement: Statement, parameters: Parameters): void {
    const { scope, name } = statement.property;
    const value = statement.kind === "remove" ? UNKNOWN : evaluate(statement.value, this, parameters);
    if (scope === "user") this.setUser(name, statement.kind === "remove" ? UNKNOWN : convert(value, this.user(name)));
    else this.#setSystem(name, value);
  }

  user(name: string): Known {
    const changed = this.#user.get(name.toLowerCase());
    return changed ? changed.value : this.#view.user(name);
  }

  system(name: string): Known {
    const changed = this.#fields.get(FIELDS[name.toLowerCase()] ?? -1);
    return changed === undefined ? this.#view.system(name) : changed;
  }

  setUser(name: string, value: Known): void {
    this.#user.set(name.toLowerCase(), { name, value });
  }

  #setSystem(name: string, value: Known): void {
    const field = FIELDS[name.toLowerCase()];
    if (field === undefined) throw new FilterFault(`The system property ${name} cannot be set`);
    this.#fields.set(field, value === UNKNOWN || value === null ? null : textOf(value));
  }

  applyTo(bytes: Buffer): Buffer {
    const fields = new Map<number, Typed>(
      [...this.#fields].map(([field, value]) => [field, encodeField(field, value)]),
    );
    const user = new Map<string, Typed | undefined>(
      [...this.#user.values()].map(({ name, value }) => [name, value === UNKNOWN ? undefined : encodeValue(value)]),
    );
    return withUserProperties(withFields(bytes, fields), user);
  }
}

/** As C# does it by itself: an integer fits into what was a real number. What is unknown becomes null. */
function convert(value: Known, present: Known): Known {
  return typeof value === "bigint" && typeof present === "number" ? Number(value) : (value ?? null);
}

function encodeField(field: number, value: string | null): Typed {
  if (field === FIELDS["contenttype"] && value !== null) return types.wrap_symbol(value);
  return encodeValue(value);
}
