// What is exported of what the app says of itself, and where to.

export interface TelemetrySettings {
  /** Application Insights. */
  readonly connectionString: string | undefined;
  /** How to sign in there, as the Functions host reads it: `Authorization=AAD;ClientId=…`. */
  readonly authentication: string | undefined;
  /** An OTLP collector's base URL. */
  readonly otlpEndpoint: string | undefined;
  /** How long spans and events may wait to be sent together. */
  readonly sendWithinMs: number;
  readonly metricsEveryMs: number;
  /** The part of the traces that is kept, above 0 and at most 1; events and metrics always are. */
  readonly tracesKept: number;
  readonly serviceName: string;
  readonly instance: string | undefined;
}

export interface Exporting {
  /** Sends what waits, within `limitMs`. */
  flush(limitMs: number): Promise<void>;
  stop(): Promise<void>;
}
