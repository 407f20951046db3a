// P31: what of one job shows in another's.
import { faultsOf } from "../fault.ts";

const HIDDEN = "operator:messaging/hidden-secrets.test.ts";
const NEIGHBOURS = "shared/agents/neighbours.test.ts";
const REDACTOR = "core:domain/secret-texts.test.ts";
const SECRET_TEXT = "core:domain/secret-text.ts";

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
    "A secret is looked for as it is written only.",
    SECRET_TEXT,
    "if (isIn(plainText(shown))) shown = withoutPlain(shown, plain);",
    "return shown;",
    REDACTOR,
  ],
  [
    "A secret in base64 is shown.",
    SECRET_TEXT,
    "let shown = encoded(text.replace(exact, HIDDEN));",
    "let shown = encoded('') + text.replace(exact, HIDDEN);",
    REDACTOR,
  ],
  [
    "A secret in base64 is found at the start of the encoded bytes only.",
    SECRET_TEXT,
    "return [0, 1, 2].flatMap((before) => {",
    "return [0].flatMap((before) => {",
    REDACTOR,
  ],
  [
    "A secret in base64url is shown.",
    SECRET_TEXT,
    'return [own, own.replaceAll("+", "-").replaceAll("/", "_")];',
    "return [own];",
    REDACTOR,
  ],
  [
    "A secret in hexadecimal digits is shown.",
    SECRET_TEXT,
    'const plain = [plainText(value), Buffer.from(value).toString("hex")].filter(',
    "const plain = [plainText(value)].filter(",
    REDACTOR,
  ],
  [
    "A secret that is escaped twice is shown.",
    SECRET_TEXT,
    "const MOST_LEVELS = 4;",
    "const MOST_LEVELS = 1;",
    REDACTOR,
  ],
  [
    "A secret in base64 that is broken into lines is shown.",
    SECRET_TEXT,
    'contains(shown.replace(/\\\\[nr]|\\s/g, ""))',
    "contains(shown)",
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
    "return text.replace(ADDRESS, `$1${HIDDEN}`).replace(",
    "return text.replace(",
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
    "{ cause: inner }), { name, stack });",
    "{ cause: inner }), { name, stack: own.stack });",
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
    "return secrets.some((secret) => isNamedIn(plainText(name), plainName(secret)));",
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
