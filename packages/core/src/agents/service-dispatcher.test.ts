// Whose connections a request to a service takes.

import { MockAgent, request, setGlobalDispatcher } from "undici";
import { expect, test, vi } from "vitest";

test("a dispatcher that is installed before or after this module is loaded keeps its place", async () => {
  const { getGlobalDispatcher } = await import("undici");
  const before = getGlobalDispatcher();
  const mock = new MockAgent();
  mock.disableNetConnect();
  mock.get("http://service.test").intercept({ path: "/" }).reply(200, "installed").times(2);
  const answer = async () => {
    vi.resetModules();
    const { dispatcherFor } = await import("./service-dispatcher.ts");
    return async () => {
      let isSent = false;
      const dispatcher = dispatcherFor(() => {
        isSent = true;
      });
      const { body } = await request("http://service.test/", { dispatcher });
      return [await body.text(), isSent];
    };
  };
  try {
    const loadedBefore = await answer();
    setGlobalDispatcher(mock);
    expect(await loadedBefore()).toEqual(["installed", true]);
    expect(await (await answer())()).toEqual(["installed", true]);
  } finally {
    setGlobalDispatcher(before);
    await mock.close();
  }
});
