import { expect, test } from "vitest";
import { azureSettings, openBus, openCosmos } from "./azure.ts";

const said =
  (stdout: string, status: number | null = 0, stderr = "") =>
  () => ({ status, stdout, stderr });

test("what azd says of the deployment becomes the settings, and the clients go there", async () => {
  const settings = azureSettings(
    said(
      'AZURE_ENV_NAME="shop"\nCOSMOS_ENDPOINT="https://shop.documents.azure.com:443/"\r\nSERVICE_BUS_NAMESPACE="shop.servicebus.windows.net"\n',
    ),
  );
  expect(settings).toEqual({
    ServiceBus__fullyQualifiedNamespace: "shop.servicebus.windows.net",
    Cosmos__accountEndpoint: "https://shop.documents.azure.com:443/",
  });
  const bus = openBus(settings, {});
  expect(bus.fullyQualifiedNamespace).toBe("shop.servicebus.windows.net");
  await bus.close();
  openCosmos(settings).dispose();
});

test.each([
  ["azd is not there", said("", null), "install it"],
  ["azd has no environment", said("", 1, "ERROR: no environment"), "no environment"],
  [
    "nothing is deployed yet",
    said('AZURE_ENV_NAME="shop"\n'),
    "SERVICE_BUS_NAMESPACE and no COSMOS_ENDPOINT: run azd up",
  ],
])("%s: the error says what to do", (_, run, wanted) => expect(() => azureSettings(run)).toThrow(wanted));
