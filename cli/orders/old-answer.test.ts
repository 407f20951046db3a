// Something between the app and the terminal may give an old answer again: then nothing is said to be well.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test, vi } from "vitest";
import { type App, openApp } from "./app.ts";
import { showNeeds } from "./attention.ts";
import { showHeldUp } from "./held-up.ts";
import { showAwaiting } from "./one.ts";

const NOTHING = { count: 0, isAll: true, groups: [], queues: [], steps: [], runs: [], taken: [], reports: [] };
const WELL = {
  ...NOTHING,
  pauses: [],
  workflows: [],
  agents: [],
  leader: { name: "s", epoch: 1, since: null, leads: true },
  gauges: { lastAt: null, isLate: false, failing: null },
};

/** What `needs` says and how it ends, if one path's answer is as old as that. */
async function needs(old: string, ageMs: number) {
  const server = createServer(({ url }, response) => {
    const asOf = new Date(Date.now() - (url?.endsWith(old) ? ageMs : 0)).toISOString();
    response.end(JSON.stringify({ ...WELL, asOf }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const said: string[] = [];
  const note = (line: unknown) => void said.push(String(line));
  const spies = [
    vi.spyOn(console, "log").mockImplementation(note),
    vi.spyOn(console, "error").mockImplementation(note),
  ];
  try {
    const { port } = server.address() as AddressInfo;
    return { code: await showNeeds(openApp({ url: `http://127.0.0.1:${port}` }), false), said: said.join("\n") };
  } finally {
    for (const spy of spies) spy.mockRestore();
    server.close();
  }
}

test("nothing needs a person if each answer is of now", async () => {
  expect(await needs("/attention", 10_000)).toEqual({ code: 0, said: "Nothing needs a person." });
});

test.each([
  ["/attention", "Orders in Error"],
  ["/reports", "Reported by the app"],
  ["/held-up", "Held up"],
  ["/awaiting", "Reports awaited"],
  ["/waiting-messages", "Waiting messages"],
  ["/agents", "Agents and pauses"],
])("%s that says what was so minutes ago is not known", async (path, part) => {
  const { code, said } = await needs(path, 180_000);
  expect([code, said]).toEqual([
    1,
    expect.stringMatching(new RegExp(`^${part}: not known. The answer says what was so at`)),
  ]);
});

test.each<[string, (app: App) => Promise<unknown>]>([
  ["held", (app) => showHeldUp(app, undefined, false)],
  ["awaiting", (app) => showAwaiting(app, { assignee: undefined, continuation: undefined }, false)],
])("%s says nothing of an old answer either", async (_, show) => {
  const asOf = new Date(Date.now() - 180_000).toISOString();
  const server = createServer((__, response) => response.end(JSON.stringify({ ...WELL, asOf })));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await expect(show(openApp({ url: `http://127.0.0.1:${port}` }))).rejects.toThrow("it is too old");
  server.close();
});
