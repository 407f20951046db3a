// Rounds of all engines, one after the other, each on an empty store in processes of its own, in another order each time.
import { mkdirSync, rmSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "@scheduler-agent-supervisor/testing/internal/faults/temporary-folder";
import { ROOT } from "../../cli/settings.ts";
import { type EngineName, type Variant, variantsOf } from "./engines.ts";
import { startOurs } from "./ours.ts";
import { startPeer } from "./peer.ts";
import { type Measured, type RunningTarget, Unavailable } from "./target.ts";

export interface Plan {
  readonly engines: readonly EngineName[];
  readonly rounds: number;
  readonly orders: number;
  readonly rate: number;
  readonly seconds: number;
  readonly warmUp: number;
}

/** One variant in one round. */
export interface Run {
  readonly row: string;
  readonly round: number;
  readonly burst: Measured;
  readonly steady: Measured;
}

export interface Results {
  readonly runs: readonly Run[];
  readonly versions: Readonly<Record<string, readonly string[]>>;
  /** Why an engine has no number. */
  readonly missing: readonly { readonly engine: EngineName; readonly reason: string; readonly isFault: boolean }[];
}

export async function runRounds(plan: Plan): Promise<Results> {
  const runs: Run[] = [];
  const versions: Record<string, readonly string[]> = {};
  const missing = new Map<EngineName, Results["missing"][number]>();
  for (let round = 0; round < plan.rounds; round += 1) {
    const turned = plan.engines.map((_, at) => plan.engines[(at + round) % plan.engines.length] as EngineName);
    for (const engine of turned.filter((each) => !missing.has(each))) {
      console.log(`round ${round + 1} of ${plan.rounds}: ${engine}`);
      try {
        const turn = await runTurn(engine, round, plan);
        runs.push(...turn.runs);
        versions[engine] = turn.versions;
      } catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        missing.set(engine, { engine, reason, isFault: !(cause instanceof Unavailable) });
        console.error(`${engine} is left out: ${reason}`);
      }
    }
  }
  // A median of fewer rounds than those beside it would compare other states of the machine.
  const isWhole = ({ row }: Run) =>
    ![...missing.keys()].some((engine) => variantsOf(engine).some((each) => each.row === row));
  return { runs: runs.filter(isWhole), versions, missing: [...missing.values()] };
}

interface Turn {
  readonly versions: readonly string[];
  readonly runs: readonly Run[];
}

async function runTurn(engine: EngineName, round: number, plan: Plan): Promise<Turn> {
  // Beside the state of npm start: the same disk.
  mkdirSync(join(ROOT, ".local"), { recursive: true });
  const data = temporaryFolder("peers-", join(ROOT, ".local"));
  // PostgreSQL's user passes through it.
  await chmod(data, 0o711);
  try {
    const target = engine === "ours" ? await startOurs(data) : await startPeer(engine, data);
    try {
      return { versions: target.versions, runs: await measureAll(target, variantsOf(engine), round, plan) };
    } finally {
      await target.stop();
    }
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

async function measureAll(
  target: RunningTarget,
  variants: readonly Variant[],
  round: number,
  plan: Plan,
): Promise<Run[]> {
  const { orders, rate, seconds, warmUp } = plan;
  for (const variant of variants) await target.measure(variant, { orders: warmUp });
  const bursts: Measured[] = [];
  for (const variant of variants) bursts.push(shown(variant, "burst", await target.measure(variant, { orders })));
  const runs: Run[] = [];
  for (const [at, variant] of variants.entries()) {
    const steady = shown(
      variant,
      `${rate} a second`,
      await target.measure(variant, { orders: Math.round(rate * seconds), rate }),
    );
    runs.push({ row: variant.row, round, burst: bursts[at] as Measured, steady });
  }
  return runs;
}

function shown({ row }: Variant, phase: string, measured: Measured): Measured {
  const [rate, cpu, p50, p99] = [measured.ordersPerSecond, measured.cpuMsPerOrder, measured.p50Ms, measured.p99Ms].map(
    (value) => value.toFixed(1),
  );
  console.log(`  ${row}, ${phase}: ${rate} orders/s, ${cpu} ms of CPU an order, p50 ${p50} ms, p99 ${p99} ms`);
  return measured;
}
