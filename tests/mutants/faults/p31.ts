// P31: what of one job shows in another's.
import { faultsOf } from "../fault.ts";

const HIDDEN = "operator:messaging/hidden-secrets.test.ts";
const NEIGHBOURS = "shared/agents/neighbours.test.ts";
const REDACTOR = "core:domain/secret-texts.test.ts";

export const P31 = faultsOf("P31", [
  [
    "One customer's error text stands in another's record.",
    "core:agents/one-try.ts",
    "const why = bounded(inShort);",
    "const why = bounded(String(inShort.length && message));",
    NEIGHBOURS,
  ],
  [
    "A rejection of one job's request rests the endpoint for all.",
    "core:agents/one-try.ts",
    'if (about === "request") pool.release(lease, "answered", why);',
    'if (about === "request") pool.release(lease, "failed", why);',
    NEIGHBOURS,
  ],
  [
    "The pause that a service asks of one job holds up all.",
    "core:agents/one-try.ts",
    'pool.release(lease, "odd", why, { error, key: idempotencyKey });',
    'pool.release(lease, "odd", why, { error, key: idempotencyKey, restMs: retryAfterMs });',
    NEIGHBOURS,
  ],
  [
    "A secret is looked for in one spelling only.",
    "core:domain/redactor.ts",
    "for (const form of new Set([value, JSON.stringify(value).slice(1, -1), encoded(value)])) {",
    "for (const form of [value]) {",
    REDACTOR,
  ],
  [
    "A secret in a nested member is not found.",
    "core:domain/redactor.ts",
    'return value !== null && typeof value === "object" ? Object.values(value).flatMap(textsIn) : [];',
    "return [];",
    REDACTOR,
  ],
  [
    "A number that is a secret is not found.",
    "core:domain/redactor.ts",
    'if (typeof value === "number") return [String(value)];',
    "",
    REDACTOR,
  ],
  [
    "An address for reports stands in texts.",
    "core:domain/redactor.ts",
    "let shown = text.replace(ADDRESS, `$1${HIDDEN}`);",
    "let shown = text;",
    REDACTOR,
  ],
  [
    "The names of members are shown that are secrets.",
    "core:domain/redactor.ts",
    "[shown(name), withTexts(member, shown)]",
    "[name, withTexts(member, shown)]",
    REDACTOR,
  ],
  [
    "An error's stack shows what its text does not.",
    "core:domain/redactor.ts",
    "return Object.assign(shown, { name: error.name, stack });",
    "return Object.assign(shown, { name: error.name, stack: error.stack });",
    REDACTOR,
  ],
  [
    "A service's answer shows a job's secret in its record.",
    "core:agents/without-secrets.ts",
    "return { ...finding, message: textWithout(finding.message, secrets) };",
    "return finding;",
    "core:agents/secrets.test.ts",
  ],
  [
    "A body is shown whose member has a secret's name in another spelling.",
    "core:messaging/visible-members.ts",
    "return secrets.some((secret) => isNamedIn(plainName(name), plainName(secret)));",
    "return secrets.includes(name);",
    HIDDEN,
  ],
  [
    "A member that no contract knows is shown.",
    "core:messaging/visible-members.ts",
    "return additionalProperties === true || (properties === undefined && type === undefined) ? ANY : undefined;",
    "return ANY;",
    HIDDEN,
  ],
  [
    "A sender's own properties are shown.",
    "operator:messaging/hidden-secrets.ts",
    "KNOWN_PROPERTIES.test(name) ? [name, value] : [name, HIDDEN],",
    "KNOWN_PROPERTIES.test('queue') ? [name, value] : [name, HIDDEN],",
    HIDDEN,
  ],
  [
    "A list may put a secret into the record.",
    "core:domain/workflow-rules.ts",
    "return canonicalJson(itemsOf(list, job, rules)) === canonicalJson(items);",
    "return true;",
    "operations:for-each.test.ts",
  ],
]);
