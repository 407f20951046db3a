// As much of the types of Temporal's TypeScript SDK as the loan needs: the SDK is a native module, and is not installed. Nothing runs.
type Signal<Args extends unknown[]> = { readonly name: string; readonly args?: Args };

interface ActivityOptions {
  readonly startToCloseTimeout: string;
  readonly retry?: {
    readonly initialInterval?: string;
    readonly backoffCoefficient?: number;
    readonly maximumInterval?: string;
    readonly maximumAttempts?: number;
  };
}

// "@temporalio/workflow"
export declare function defineSignal<Args extends unknown[]>(name: string): Signal<Args>;
export declare function setHandler<Args extends unknown[]>(
  signal: Signal<Args>,
  handler: (...args: Args) => void,
): void;
export declare function condition(holds: () => boolean): Promise<void>;
export declare function condition(holds: () => boolean, within: string): Promise<boolean>;
export declare function proxyActivities<Activities>(options: ActivityOptions): Activities;
export declare const CancellationScope: { nonCancellable<T>(run: () => Promise<T>): Promise<T> };
/** What an activity's end is to the workflow; its cause is the activity's own error. */
export declare class ActivityFailure extends Error {}
export declare class ApplicationFailure extends Error {
  readonly type: string | null | undefined;
  static nonRetryable(message: string, type?: string): ApplicationFailure;
}

// "@temporalio/client"
interface StartOptions<Args extends unknown[]> {
  readonly taskQueue: string;
  readonly workflowId: string;
  readonly workflowIdReusePolicy?: "REJECT_DUPLICATE";
  readonly workflowIdConflictPolicy?: "USE_EXISTING";
  readonly args: Args;
}
export declare class Client {
  readonly workflow: {
    start<Args extends unknown[]>(
      workflow: (...args: Args) => Promise<unknown>,
      options: StartOptions<Args>,
    ): Promise<unknown>;
    getHandle(workflowId: string): {
      signal<Args extends unknown[]>(signal: Signal<Args>, ...args: Args): Promise<void>;
    };
  };
}

// "@temporalio/worker"
export declare const Worker: {
  create(options: { workflowsPath: string; activities: object; taskQueue: string }): Promise<{ run(): Promise<void> }>;
};
