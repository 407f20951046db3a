// States as badges: each has a sign beside its colour, so that nobody has to distinguish colours.
import type { ErrorKind, ProcessState, StepState } from "../api/contract.ts";
import { KINDS, STATES, STEP_STATES } from "../words/job.ts";

type Tone = "informative" | "success" | "danger" | "warning" | "brand";

const TONES: { readonly [state in ProcessState | StepState]: readonly [Tone, string] } = {
  Pending: ["informative", "○"],
  Processing: ["brand", "▶"],
  Processed: ["success", "✓"],
  Error: ["danger", "✕"],
  NotStarted: ["informative", "○"],
  Scheduled: ["informative", "◔"],
  Running: ["brand", "▶"],
  Awaiting: ["informative", "◑"],
  Completed: ["success", "✓"],
  Skipped: ["informative", "⤼"],
  Failed: ["danger", "✕"],
  Compensated: ["warning", "↩"],
  Cancelled: ["informative", "■"],
};

export const toneOf = (state: StepState): Tone => TONES[state][0];
export const signOf = (state: StepState): string => TONES[state][1];

export function JobBadge({ state, kind }: { readonly state: ProcessState; readonly kind?: ErrorKind | undefined }) {
  const isAtRest = state === "Error" && kind === "resolved";
  const [tone, sign] = isAtRest ? (["informative", "■"] as const) : TONES[state];
  const name = state === "Error" && kind ? KINDS[kind] : STATES[state];
  return (
    <span className={`badge ${tone}`}>
      <span aria-hidden="true">{sign}</span> {name}
    </span>
  );
}

export function StepBadge({ state }: { readonly state: StepState }) {
  const [tone, sign] = TONES[state];
  return (
    <span className={`badge ${tone}`}>
      <span aria-hidden="true">{sign}</span> {STEP_STATES[state]}
    </span>
  );
}
