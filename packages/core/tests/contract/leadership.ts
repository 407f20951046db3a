// The contract of the lead among supervisors: every implementation passes this one suite.

import { beforeAll, describe, expect, test } from "vitest";
import type { Leadership } from "../../src/supervisor/leadership.ts";

/** Something to contend for, and time that passes. */
export interface Contest {
  /** A new lease, which nobody ever held, and how each supervisor sees it. */
  lease(): { heldBy(name: string): Leadership };
  /** Lets a lease's whole time pass. */
  outlastLease(): Promise<void>;
}

export function leadershipContract(name: string, open: () => Promise<Contest>): void {
  describe(`leadership: ${name}`, () => {
    let contest: Contest;
    beforeAll(async () => {
      contest = await open();
    });

    test("P12 of ten that ask at once exactly one leads, and the others learn who", async () => {
      const lease = contest.lease();
      const all = Array.from({ length: 10 }, (_, index) => lease.heldBy(`eu-${index}`));
      const elections = await Promise.all(all.map((one) => one.lead()));
      const leading = elections.filter(({ kind }) => kind === "leading");
      expect(leading).toEqual([{ kind: "leading", epoch: 1, leader: expect.stringMatching(/^eu-\d$/) }]);
      const again = await Promise.all(all.map((one) => one.lead()));
      expect(new Set(again.map((election) => election.leader))).toEqual(new Set([leading[0]?.leader]));
      expect(again.filter(({ kind }) => kind === "leading")).toEqual(leading);
    });

    test("P12 a leader that asks again goes on leading, in the same epoch", async () => {
      const leader = contest.lease().heldBy("eu");
      for (let tick = 0; tick < 3; tick += 1) expect(await leader.lead()).toMatchObject({ kind: "leading", epoch: 1 });
      expect(await leader.stillLeads()).toBe(true);
    });

    test("P12 what is released is free at once, and the next holder's epoch is higher", async () => {
      const lease = contest.lease();
      const [one, other] = [lease.heldBy("eu"), lease.heldBy("us")];
      await one.lead();
      await one.release();
      expect(await one.stillLeads()).toBe(false);
      expect(await other.lead()).toEqual({ kind: "leading", epoch: 2, leader: "us" });
      expect(await one.lead()).toEqual({ kind: "following", leader: "us" });
      await one.release();
      expect(await other.stillLeads()).toBe(true);
    });

    test("one that never led doesn't lead, and has nothing to release", async () => {
      const lease = contest.lease();
      const [one, other] = [lease.heldBy("eu"), lease.heldBy("us")];
      await one.lead();
      expect(await other.stillLeads()).toBe(false);
      await other.release();
      expect(await one.stillLeads()).toBe(true);
    });

    test("P12 P16 past its time a lease is the next one's, who leads in a higher epoch; one that nobody took is still its holder's", async () => {
      const [taken, left, back] = [contest.lease(), contest.lease(), contest.lease()];
      const [dead, next] = [taken.heldBy("eu"), taken.heldBy("us")];
      const [slow, slower] = [left.heldBy("eu"), back.heldBy("eu")];
      for (const one of [dead, slow, slower]) expect(await one.lead()).toMatchObject({ kind: "leading", epoch: 1 });
      expect(await next.lead()).toEqual({ kind: "following", leader: "eu" });

      await contest.outlastLease();
      expect(await next.lead()).toEqual({ kind: "leading", epoch: 2, leader: "us" });
      expect(await dead.stillLeads()).toBe(false);
      expect(await dead.lead()).toEqual({ kind: "following", leader: "us" });
      expect(await slow.stillLeads()).toBe(true);
      expect(await slower.lead()).toEqual({ kind: "leading", epoch: 1, leader: "eu" });
    }, 40_000);
  });
}
