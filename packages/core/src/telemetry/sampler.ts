// Which traces are kept where not all are: by the rule of Application Insights' SDKs, so that the host's spans and ours are of the same traces.
import type { Context } from "@opentelemetry/api";
import { type Sampler, SamplingDecision, type SamplingResult } from "@opentelemetry/sdk-trace";

/** By it the exporter says for how many items one stands (`ItemCount`). */
const SAMPLE_RATE = "microsoft.sample_rate";
const MOST = 0x7f_ff_ff_ff;
const LEAST = -0x80_00_00_00;

/**
 * The trace's id alone decides, whatever the parent's flag says: the classic host marks its spans as not recorded though it keeps them. The same rule
 * is `ApplicationInsightsSampler` of @azure/monitor-opentelemetry-exporter, which would have to be loaded at the start of the process.
 */
export class PartSampler implements Sampler {
  readonly #percent: number;

  /** @param part above 0, below 1 */
  constructor(part: number) {
    this.#percent = part * 100;
  }

  shouldSample(_context: Context, traceId: string): SamplingResult {
    return scoreOf(traceId) < this.#percent
      ? { decision: SamplingDecision.RECORD_AND_SAMPLED, attributes: { [SAMPLE_RATE]: this.#percent } }
      : { decision: SamplingDecision.NOT_RECORD };
  }

  toString(): string {
    return `PartSampler{${this.#percent}%}`;
  }
}

/** From 0 to 100: Bernstein's hash (djb2) in 32 bits, as .NET's SDK computes it. */
function scoreOf(traceId: string): number {
  let hash = 5381;
  for (const character of traceId) hash = (Math.imul(hash, 33) + character.charCodeAt(0)) | 0;
  return ((hash === LEAST ? MOST : Math.abs(hash)) / MOST) * 100;
}
