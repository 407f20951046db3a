// Stands for the packages that only the SDKs' own repository has: sign-in for tests, and chai's plug-in for traces.
export const createTestCredential = () => ({ getToken: async () => ({ token: "none", expiresOnTimestamp: 0 }) });

export const chaiAzure = (): void => undefined;

/** Tests that look at spans get none, and fail by that. */
export class TestTracer {}
export const setTracer = (): void => undefined;
export const resetTracer = (): void => undefined;
