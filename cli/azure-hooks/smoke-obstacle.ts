// After deploying: whether who deploys can run the smoke test at all. A deployment that went well must not end as a failure because its
// deployer may not send an order.

const MANUAL = "Run npm run node -- cli/smoke.ts --azure";

/** Why there is no smoke test, and who can run one; undefined where there is nothing in its way. */
export function smokeObstacle(chosen: (name: string) => string | undefined): string | undefined {
  if (chosen("SMOKE_TEST") === "true") return undefined;
  if (chosen("NETWORK") === "private")
    return `No smoke test: bus and store are reached from the private network alone (NETWORK=private). ${MANUAL} there.`;
  if (chosen("GRANT_DEVELOPER_ACCESS") === "false")
    return `No smoke test: who deploys may neither send orders nor read them (GRANT_DEVELOPER_ACCESS=false). ${MANUAL} as somebody who may.`;
  return undefined;
}
