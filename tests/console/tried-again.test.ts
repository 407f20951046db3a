// A request that is answered well only at the second try: one of several hosts may be ill, and nothing else on the first view would show it.
import { afterEach, expect, test, vi } from "vitest";
import { get } from "../../packages/operator/console/src/api/client.ts";
import { isAnswering } from "../../packages/operator/console/src/api/clock.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** @param statuses of the answers, one after the other */
function answers(...statuses: number[]): void {
  vi.stubGlobal("sessionStorage", { getItem: () => null });
  vi.stubGlobal(
    "fetch",
    async () => new Response(JSON.stringify({ asOf: new Date() }), { status: statuses.shift() ?? 200 }),
  );
}

const isWell = async () => {
  const data = await get("changes");
  return isAnswering({ data, dataUpdatedAt: Date.now(), errorUpdatedAt: 0 });
};

test("the app is not said to answer for a minute after an answer that came at the second try alone", async () => {
  answers(200, 500, 200, 200);
  expect(await isWell()).toBe(true);
  expect(await isWell()).toBe(false);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 50_000 });
  expect(await isWell()).toBe(false);
  vi.setSystemTime(Date.now() + 11_000);
  answers(200);
  expect(await isWell()).toBe(true);
});

test("what is rejected is not asked again, and a second poor answer is a fault", async () => {
  answers(403, 200);
  await expect(get("attention")).rejects.toMatchObject({ kind: "forbidden" });
  answers(500, 503, 200);
  await expect(get("attention")).rejects.toMatchObject({ kind: "failed", status: 503 });
});
