// The environment of a command that another app's folder runs: what the runner of the tests has set would be this one's.

/** That of this process, without what npm and the test runner have set in it. */
export function outsideNpm(): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(npm_(package|lifecycle|command)|VITEST|NODE_(ENV|OPTIONS|PATH))/i.test(name),
    ),
  );
}
