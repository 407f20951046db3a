// Which settings name an emulator, and what they become.
import { expect, test } from "vitest";
import { emulatedParts, emulatorSettings } from "./emulator-settings.ts";

const BUS =
  "Endpoint=sb://localhost;SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=SAS_KEY_VALUE;UseDevelopmentEmulator=true;";
const COSMOS =
  "AccountEndpoint=https://localhost:8081/;AccountKey=C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";
const AZURE = {
  Bus: "Endpoint=sb://shop.servicebus.windows.net/;SharedAccessKeyName=k;SharedAccessKey=s",
  Cosmos: "AccountEndpoint=https://shop.documents.azure.com:443/;AccountKey=a",
  AzureWebJobsStorage: "DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=a",
  Text: "true",
};

test("the parts that settings name are started, and no others", () => {
  expect(emulatedParts({ Cosmos: COSMOS, Bus: BUS, Text: "x" })).toEqual(["bus", "cosmos"]);
  expect(emulatedParts({ AzureWebJobsStorage: "UseDevelopmentStorage=true" })).toEqual(["azurite"]);
  expect(emulatedParts({ A: "DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=k" })).toEqual([
    "azurite",
  ]);
  expect(emulatedParts(AZURE)).toEqual([]);
});

test("each setting that names an emulator gets the address of its part, and others stay", () => {
  const addresses = { bus: { connectionString: "bus" }, cosmos: { connectionString: "cosmos" } };
  const settings = { ...AZURE, Bus: BUS, Documents: COSMOS, Storage: "UseDevelopmentStorage=true" };
  expect(emulatorSettings(settings, addresses as never)).toEqual({ Bus: "bus", Documents: "cosmos" });
});
