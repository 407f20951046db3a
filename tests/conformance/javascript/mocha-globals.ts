// Mocha's globals on vitest's, for suites that were written for mocha: `this.timeout`, `this.skip` and `done`.
import { afterAll, afterEach, beforeAll, beforeEach, describe, it, type TestContext } from "vitest";

type Hook = (hook: (context?: TestContext) => Promise<void>) => void;
type Body = (this: object, done?: (cause?: unknown) => void) => unknown;

const fluent = { timeout: () => fluent, retries: () => fluent, slow: () => fluent };

/** Mocha does not wait for the body of a suite: what an asynchronous one declares later is not run. */
let depth = 0;
let waited = false;

/** A suite, and the fault of a hook before it: vitest only skips its tests then, and does not say why. */
interface Scope {
  readonly parent: Scope | undefined;
  fault?: { readonly cause: unknown };
}

let scope: Scope = { parent: undefined };

const suiteOf = (declare: typeof describe.skip) => (name: string, body: (this: object) => unknown) => {
  const own: Scope = { parent: scope };
  declare(name, () => {
    const outer = scope;
    scope = own;
    depth += 1;
    const result = body.call(fluent);
    depth -= 1;
    scope = outer;
    if (!(result instanceof Promise)) return;
    waited = true;
    result.catch(() => undefined);
  });
};

const testOf = (declare: typeof it.skip) => (name: string, body?: Body) => {
  if (depth === 0 && waited) return;
  const own = scope;
  if (!body) it.todo(name);
  else
    declare(name, { timeout: TEST_LIMIT_MS }, (context) => {
      throwFault(own);
      return settled(body, context);
    });
};

function throwFault(own: Scope): void {
  for (let each: Scope | undefined = own; each; each = each.parent) if (each.fault) throw each.fault.cause;
}

const beforeAllOf = (hook: () => Promise<void>) => {
  const own = scope;
  beforeAll(() =>
    hook().catch((cause: unknown) => {
      own.fault = { cause };
    }),
  );
};

const hookOf = (declare: Hook) => (first: string | Body, second?: Body) => {
  const body = typeof first === "string" ? second : first;
  if (body) declare((context) => settled(body, context));
};

const beforeEachOf: Hook = (hook) => {
  const own = scope;
  beforeEach((context) => {
    throwFault(own);
    return hook(context);
  });
};

const TEST_LIMIT_MS = 60_000;

async function settled(body: Body, context?: TestContext): Promise<void> {
  const { name = "", fullTestName = "" } = context?.task ?? {};
  const test = { title: name, fullTitle: () => fullTestName.replaceAll(" > ", " ") };
  const self = { ...fluent, skip: () => context?.skip(), test, currentTest: test };
  if (body.length === 0) await body.call(self);
  else await new Promise<void>((resolve, reject) => body.call(self, (cause) => (cause ? reject(cause) : resolve())));
}

const withSkip = <Plain extends object>(plain: Plain, skip: unknown, only: unknown) =>
  Object.assign(plain, { skip, only });

const suite = withSkip(suiteOf(describe), suiteOf(describe.skip), suiteOf(describe.only));
const test = withSkip(testOf(it), testOf(it.skip), testOf(it.only));
Object.assign(globalThis, {
  describe: suite,
  context: suite,
  xdescribe: suiteOf(describe.skip),
  it: test,
  specify: test,
  xit: testOf(it.skip),
  before: hookOf(beforeAllOf),
  after: hookOf((hook) => afterAll(() => hook())),
  beforeEach: hookOf(beforeEachOf),
  afterEach: hookOf(afterEach),
});
