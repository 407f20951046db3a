// Links that lead out of docs/, to sources: on the site they are text with the file's path as its title.
import { posix } from "node:path";
import type { MarkdownRenderer } from "vitepress";

export function withoutLinksOutside(md: MarkdownRenderer): void {
  md.core.ruler.push("links-outside", ({ tokens, env }) => {
    const page = (env as { readonly relativePath?: string }).relativePath ?? "";
    for (const { children } of tokens) {
      let isOutside = false;
      for (const token of children ?? []) {
        if (token.type === "link_open") {
          const path = fileOutside(page, String(token.attrGet("href")));
          isOutside = path !== undefined;
          if (path === undefined) continue;
          token.tag = "span";
          token.attrs = [
            ["class", "in-repository"],
            ["title", `${path} in the repository`],
          ];
        }
        if (token.type === "link_close" && isOutside) {
          token.tag = "span";
          isOutside = false;
        }
      }
    }
  });
}

function fileOutside(page: string, href: string): string | undefined {
  if (/^([a-z]+:|#|\/)/.test(href)) return undefined;
  const path = posix.join("docs", posix.dirname(page), href.split("#")[0] ?? "");
  return path.startsWith("docs/") ? undefined : path;
}
