// The weather service of a sample, which the sample's client finds by a proxy: it rains at first, and then the sky is clear.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface FakeWeather {
  readonly url: string;
  close(): Promise<void>;
}

export async function startFakeWeather(): Promise<FakeWeather> {
  let asked = 0;
  const server = createServer((request, response) => {
    const isWeather = request.url?.startsWith("https://api.openweathermap.org/data/2.5/weather?") ?? false;
    asked += 1;
    const weather = [{ description: asked === 1 ? "light rain" : "clear sky" }];
    response.writeHead(isWeather ? 200 : 404, { "content-type": "application/json" }).end(JSON.stringify({ weather }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
