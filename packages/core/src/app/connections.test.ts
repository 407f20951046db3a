// Connections by string and by identity, and the settings that say which.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { CosmosClient } from "@azure/cosmos";
import { expect, test } from "vitest";
import { videos } from "../../tests/videos.ts";
import { createCosmosJobStore } from "../store/cosmos-job-store.ts";
import { parseConfig as parse } from "./config.ts";
import { blobsOf, cosmosOf, serviceBusOf } from "./connections.ts";

const parseConfig = (environment: Record<string, string>) => parse(environment, videos);

const endpoints = Object.fromEntries(
  videos.serviceAgents.map(({ service: { setting } }) => [setting, "http://127.0.0.1:1"]),
);
const byIdentity = {
  ...endpoints,
  ServiceBus__fullyQualifiedNamespace: "shop.servicebus.windows.net",
  ServiceBus__credential: "managedidentity",
  ServiceBus__clientId: "id",
  Cosmos__accountEndpoint: "https://shop.documents.azure.com:443/",
  Cosmos__credential: "managedidentity",
  AzureWebJobsStorage__accountName: "shop",
  AzureWebJobsStorage__credential: "managedidentity",
};

test("by identity: every client goes to its address, and no connection string is needed", async () => {
  const config = parseConfig(byIdentity);
  const bus = serviceBusOf(config, {});
  expect(bus.fullyQualifiedNamespace).toBe("shop.servicebus.windows.net");
  await bus.close();
  expect(blobsOf(config, {}).url).toBe("https://shop.blob.core.windows.net/");
  const sovereign = { ...byIdentity, AzureWebJobsStorage__blobServiceUri: "https://shop.blob.core.chinacloudapi.cn" };
  expect(blobsOf(parseConfig(sovereign), {}).url).toBe("https://shop.blob.core.chinacloudapi.cn/");
  cosmosOf(config).dispose();
});

test("an endpoint's header takes its value from the setting that it names; a missing or unfit one is a fault at start", () => {
  const EncoderEndpoints = "https://encoder.example;header:x-api-key=EncoderKey";
  const config = parseConfig({ ...byIdentity, EncoderEndpoints, EncoderKey: "s3cret" });
  expect(config.settingOf("EncoderKey")).toBe("s3cret");
  expect(() => parseConfig({ ...byIdentity, EncoderEndpoints, StorageEndpoints: "http://storage.example" })).toThrow(
    /StorageEndpoints: "http:\/\/storage.example" must be https/,
  );
  expect(() => parseConfig({ ...byIdentity, EncoderEndpoints })).toThrow(
    "EncoderEndpoints: https://encoder.example/ wants the setting EncoderKey as x-api-key: it is missing",
  );
  for (const EncoderKey of ["", "s3cret\r\nx: y", " s3cret", "schlüssel"]) {
    const parsing = () => parseConfig({ ...byIdentity, EncoderEndpoints, EncoderKey });
    expect(parsing).toThrow(/EncoderEndpoints: .*EncoderKey/);
    expect(parsing).not.toThrow(/s3cret|schl/);
  }
});

test("every connection that is missing is named, with both ways out", () => {
  expect(() => parseConfig({ ...endpoints, Cosmos__credential: "secret" })).toThrow(
    /ServiceBus: is missing.*fullyQualifiedNamespace|Cosmos__credential/s,
  );
  expect(() => parseConfig(endpoints)).toThrow(
    /ServiceBus: .*\n.*Cosmos: .*accountEndpoint\n.*AzureWebJobsStorage: .*accountName or .*blobServiceUri/,
  );
});

test("while roles are new a 403 is waited for; later it is a fault at once", async () => {
  let rejections = 2;
  const server = createServer((request, response) => {
    const isAccount = request.url === "/";
    const allowed = isAccount || rejections-- <= 0;
    response.writeHead(allowed ? (isAccount ? 200 : 404) : 403, { "content-type": "application/json" });
    const here = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const locations = [{ name: "here", databaseAccountEndpoint: here }];
    const account = { _self: "", id: "local", writableLocations: locations, readableLocations: locations };
    response.end(JSON.stringify({ ...account, userConsistencyPolicy: { defaultConsistencyLevel: "Session" } }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const client = new CosmosClient({ endpoint, key: "a2V5", connectionPolicy: { enableEndpointDiscovery: false } });
  const container = client.database("d").container("c");
  try {
    const patient = createCosmosJobStore({ container, idName: "jobId" }, { rolesAreNew: () => true, rolePauseMs: 1 });
    expect(await patient.state("job-1")).toBeUndefined();
    expect(rejections).toBeLessThan(0);
    rejections = 1;
    await expect(createCosmosJobStore({ container, idName: "jobId" }).state("job-1")).rejects.toThrow(
      "The state store did not",
    );
  } finally {
    client.dispose();
    server.close();
  }
});
