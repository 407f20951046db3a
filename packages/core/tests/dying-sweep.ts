// A sweep whose process dies at one of its calls of store or messenger.
import { sweep } from "../src/supervisor/sweep.ts";
import type { World } from "./world.ts";

/** What changes nothing: a death at a write is told from one at the next read. */
const READS: readonly PropertyKey[] = ["pastDeadline", "due"];

/**
 * Dies at that call, before it or when it has taken effect, and makes no further one.
 *
 * @param call from 1
 * @returns whether it died: false if it made fewer calls
 */
export async function dyingSweep(world: World, call: number, when: "before" | "after"): Promise<boolean> {
  let calls = 0;
  let die: (hasDied: boolean) => void = () => undefined;
  const died = new Promise<boolean>((resolve) => {
    die = resolve;
  });
  const death = () => {
    die(true);
    return new Promise<never>(() => undefined);
  };
  const get =
    (target: object, name: PropertyKey) =>
    (...given: unknown[]) => {
      const make = () => Reflect.get(target, name)(...given);
      if (READS.includes(name)) return make();
      calls += 1;
      if (calls > call || (calls === call && when === "before")) return death();
      return calls < call ? make() : Promise.resolve(make()).then(death);
    };
  const store = new Proxy<World["store"]>(world.store, { get });
  const messenger = new Proxy<World["messenger"]>(world.messenger, { get });
  return await Promise.race([sweep({ ...world, store, messenger }).then(() => false), died]);
}
