// Why a job waits, in the sentence that the terminal and the API have too.
import { waitInWords } from "@scheduler-agent-supervisor/operator/domain";
import type { Wait } from "../api/contract.ts";
import { Said, useInstant } from "./zone.tsx";

export function WaitWords({ wait }: { readonly wait: Wait }) {
  const words = useInstant();
  return (
    <span className="message first-letter">
      <Said text={waitInWords(wait, words)} />
    </span>
  );
}
