import { AzureCliCredential, AzureDeveloperCliCredential } from "@azure/identity";
import { expect, test } from "vitest";
import { azdDeployment, azureSettings, namedDeployment, openBus, openCosmos, signInOf } from "./azure.ts";

const said =
  (stdout: string, status: number | null = 0, stderr = "") =>
  () => ({ status, stdout, stderr });

test("what azd says of the deployment becomes the settings, and the clients go there", async () => {
  const deployment = azdDeployment(
    said(
      'AZURE_ENV_NAME="shop"\nCOSMOS_ENDPOINT="https://shop.documents.azure.com:443/"\r\nSERVICE_BUS_NAMESPACE="shop.servicebus.windows.net"\n',
    ),
  );
  const settings = azureSettings(deployment);
  expect(settings).toEqual({
    ServiceBus__fullyQualifiedNamespace: "shop.servicebus.windows.net",
    // Whoever deployed has the rights: DefaultAzureCredential would take the Azure CLI's account first.
    ServiceBus__credential: "azd",
    Cosmos__accountEndpoint: "https://shop.documents.azure.com:443/",
    Cosmos__credential: "azd",
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
])("%s: the error says what to do", (_, run, wanted) =>
  expect(() => azureSettings(azdDeployment(run))).toThrow(wanted),
);

test("a deployment by Bicep alone: its outputs, however Resource Manager writes their names, and the Azure CLI's account", () => {
  const outputs = {
    servicE_BUS_NAMESPACE: { type: "String", value: "shop.servicebus.windows.net" },
    cosmoS_ENDPOINT: { type: "String", value: "https://shop.documents.azure.com:443/" },
  };
  expect(azureSettings(namedDeployment("shop", said(JSON.stringify(outputs))))).toMatchObject({
    ServiceBus__fullyQualifiedNamespace: "shop.servicebus.windows.net",
    Cosmos__credential: "az",
  });
  expect(() => azureSettings(namedDeployment("shop", said("null")))).toThrow("the deployment has no SERVICE_BUS");
  expect(() => namedDeployment("shop", said("", 1, "DeploymentNotFound"))).toThrow("DeploymentNotFound");
  expect(signInOf("azd")).toBeInstanceOf(AzureDeveloperCliCredential);
  expect(signInOf("az")).toBeInstanceOf(AzureCliCredential);
});
