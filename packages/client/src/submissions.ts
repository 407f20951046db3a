// Which of several submissions under one job id an answer is about: a rejection is one submission's, all else is the job's.
import type { StatusMessage } from "./job-messages.ts";

export interface Submission {
  readonly id: string;
  readonly jobId: string;
  /** Its digest: see content-digest.ts. */
  readonly content: string;
  onRejected(rejection: StatusMessage): void;
  /** From now on what is received of the job is about this submission too. */
  onMayJoin(): void;
}

const REMEMBERED_JOBS = 2000;

export class Submissions {
  readonly #open = new Map<string, Submission>();
  /** What was submitted first under each job id and is not rejected, as far as is known here: the job's statuses are about it. */
  readonly #first = new Map<string, string>();

  /** @returns whether what is received of the job is about this submission; else `onMayJoin` says when it is. */
  add(submission: Submission): boolean {
    const { id, jobId, content } = submission;
    this.#open.set(id, submission);
    const first = this.#first.get(jobId);
    if (first !== undefined) return first === content;
    this.#first.set(jobId, content);
    const [oldest] = this.#first.keys();
    if (this.#first.size > REMEMBERED_JOBS && oldest !== undefined) this.#first.delete(oldest);
    return true;
  }

  /** What the job's statuses are about, as far as is known here. */
  contentOf(jobId: string): string | undefined {
    return this.#first.get(jobId);
  }

  leave({ id }: Submission): void {
    this.#open.delete(id);
  }

  /** It was not sent, as far as is known. */
  withdraw({ id, jobId, content }: Submission): void {
    this.#open.delete(id);
    if (this.#first.get(jobId) === content) this.#pass(jobId, content);
  }

  /** Of a submission that nobody waits for it is dropped. */
  reject(rejection: StatusMessage): void {
    const rejected = this.#open.get(rejection.submissionId ?? "");
    if (!rejected) return;
    this.#open.delete(rejected.id);
    const { jobId, content } = rejected;
    if (this.#first.get(jobId) === content) this.#pass(jobId, content);
    rejected.onRejected(rejection);
  }

  /** The content that is left is the job's. */
  #pass(jobId: string, rejected: string): void {
    this.#first.delete(jobId);
    const others = [...this.#open.values()].filter((other) => other.jobId === jobId && other.content !== rejected);
    const next = others[0]?.content;
    if (next === undefined) return;
    this.#first.set(jobId, next);
    for (const other of others) if (other.content === next) other.onMayJoin();
  }
}
