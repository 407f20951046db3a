// The host behind a forwarded address: which host the app is told that the browser has asked.
import { afterEach, expect, test, vi } from "vitest";
import { openServer } from "./server.ts";

const FORWARDED = "https://name-7071.app.github.dev";

afterEach(() => vi.unstubAllEnvs());

/** The host that the app is told, or the status of the rejection. */
async function toldHost(origin: string | undefined): Promise<string> {
  const server = await openServer(0, async ({ headers }, response) => {
    response.end(String(headers["x-forwarded-host"]));
  });
  try {
    const headers: Record<string, string> = origin === undefined ? {} : { origin };
    const answer = await fetch(`http://127.0.0.1:${server.port}/`, { method: "POST", headers });
    return answer.status === 200 ? await answer.text() : String(answer.status);
  } finally {
    await server.close(1000);
  }
}

test("a page of the forwarded address may act, and no other", async () => {
  vi.stubEnv("LOCAL_PUBLIC_ORIGIN", FORWARDED);
  expect(await toldHost(FORWARDED)).toBe("name-7071.app.github.dev");
  expect(await toldHost(undefined)).toBe("undefined");
  expect(await toldHost("https://other-7071.app.github.dev")).toBe("403");
});

test("without the setting none may", async () => {
  expect(await toldHost(FORWARDED)).toBe("403");
});
