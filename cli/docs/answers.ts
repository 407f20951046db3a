// The table of what a service can answer, for docs/reference/answers.md.
import { ANSWERS, type AnswerRow } from "@scheduler-agent-supervisor/core/agents";

const MEANS: { readonly [means in AnswerRow["means"]]: string } = {
  later: "counts a failure",
  misconfigured: "holds the order",
};

export function answersTable(): string {
  return [
    "| answer | may it have happened? | the attempt | whom it is about | because | source |",
    "| --- | --- | --- | --- | --- | --- |",
    ...ANSWERS.map((row) => {
      const { mayHaveHappened, means, reason, source } = row;
      const cells = [nameOf(row), mayHaveHappened ? "yes" : "no", MEANS[means], ABOUT[row.about], reason, source];
      return `| ${cells.join(" | ")} |`;
    }),
  ].join("\n");
}

const WITHOUT = {
  notSendable: "a request that can't be sent",
  notSent: "nothing was sent",
  unanswered: "no answer",
} as const;

function nameOf({ on }: AnswerRow): string {
  if (typeof on === "string") return WITHOUT[on];
  return on.from === on.to ? String(on.from) : `${on.from} to ${on.to}`;
}

const ABOUT: { readonly [about in AnswerRow["about"]]: string } = {
  endpoint: "the endpoint",
  request: "the request",
  unlessNamed: "the request if it names its fault in JSON; either",
};
