// Mermaid flowcharts as SVG, drawn when the site is built: the page needs no script for them.
import { renderMermaidSVG } from "beautiful-mermaid";

const LONGEST_LINE = 44;

export function pictureOf(flowchart: string): string {
  const narrow = flowchart.replace(/^flowchart LR/, "flowchart TD").replaceAll(/"([^"]+)"/g, (_, label: string) => {
    return `"${label.split("<br/>").map(wrapped).join("<br/>")}"`;
  });
  const svg = renderMermaidSVG(narrow, { bg: "var(--vp-c-bg)", fg: "var(--vp-c-text-1)", transparent: true });
  // Its style asks a font service for a font, and Vue takes no style inside a page: theme/style.css has what is needed of it.
  return `<div class="picture" v-pre>${svg.replace(/<style>[\s\S]*?<\/style>/, "")}</div>\n`;
}

function wrapped(line: string): string {
  const italic = /^<i>(.*)<\/i>$/.exec(line)?.[1];
  const lines: string[] = [];
  for (const word of (italic ?? line).split(" ")) {
    const last = lines.pop();
    if (last === undefined) lines.push(word);
    else if (last.length + word.length < LONGEST_LINE) lines.push(`${last} ${word}`);
    else lines.push(last, word);
  }
  return lines.map((one) => (italic === undefined ? one : `<i>${one}</i>`)).join("<br/>");
}
