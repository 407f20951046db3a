// The query's members for reading a list page by page.
import { z } from "zod";
import type { ListPosition } from "../domain/list-page.ts";

/** The number of entries on a page. */
export function pageSize({ usual, most }: { readonly usual: number; readonly most: number }) {
  return z
    .string()
    .regex(/^\d{1,3}$/, `must be a whole number from 1 to ${most}`)
    .transform(Number)
    .pipe(z.int().min(1).max(most))
    .default(usual);
}

/** The end of the previous page, as `continuationOf` wrote it. */
export function continuation<T>(position: z.ZodType<T>) {
  return z
    .string()
    .transform((text, context): T => {
      const read = position.safeParse(parsed(Buffer.from(text, "base64url").toString()));
      if (read.success) return read.data;
      context.addIssue({ code: "custom", message: "must be what the page before answered" });
      return z.NEVER;
    })
    .optional();
}

const listPosition = z.strictObject({
  at: z.iso.datetime(),
  shown: z.array(z.string().max(200)).max(500),
}) satisfies z.ZodType<ListPosition>;

/** Of what is listed by its instant. */
export const listContinuation = continuation(listPosition);

/** The value with which a caller requests the next page. */
export function continuationOf(position: object): string {
  return Buffer.from(JSON.stringify(position)).toString("base64url");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
