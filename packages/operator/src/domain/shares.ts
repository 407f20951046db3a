// How many of each kind are read where not all can be.

/** No kind uses the share of another, unless that one leaves some. */
export function shares<Kind extends { readonly count: number }>(kinds: readonly Kind[], limit: number) {
  let left = limit;
  const fewestFirst = [...kinds].sort((one, other) => one.count - other.count);
  return fewestFirst.map((kind, at) => {
    const share = Math.min(kind.count, Math.floor(left / (fewestFirst.length - at)));
    left -= share;
    return { ...kind, share };
  });
}
