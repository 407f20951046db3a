// A number with its noun, for texts that people read.

/** `1 step`, `2,000 steps`. @param isAll false: there are at least so many, `1+ steps` */
export function counted(count: number, one: string, many = `${one}s`, isAll = true): string {
  return `${count.toLocaleString("en")}${isAll ? "" : "+"} ${count === 1 && isAll ? one : many}`;
}
