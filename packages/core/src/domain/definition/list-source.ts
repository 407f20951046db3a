// A member of a step's result, as a workflow names it: the source of an output, or of the items for which a later step runs.

export interface Source {
  readonly step: string;
  readonly member: string;
}

const SOURCE = /^([a-z][A-Za-z0-9]*)\.([A-Za-z][A-Za-z0-9_]*)$/;

/** The step and the member of its result in `step.member`; undefined for a text without such names, as that of a list of the content. */
export function sourceOf(text: string | undefined): Source | undefined {
  const [, step, member] = SOURCE.exec(text ?? "") ?? [];
  return step && member ? { step, member } : undefined;
}
