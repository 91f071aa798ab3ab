export interface Line {
  /** `-`: only before; `+`: only after; ` `: in both. */
  sign: '-' | '+' | ' ';
  text: string;
}

/** The lines of two texts with what was taken away and added (the longest common subsequence). */
export function difference(before: string, after: string): Line[] {
  const a = before.split('\n');
  const b = after.split('\n');
  const width = b.length + 1;
  // length[i * width + j]: of the longest common subsequence of a from i on and b from j on.
  const length = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => length[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; --i) {
    for (let j = b.length - 1; j >= 0; --j) {
      length[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: Line[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({sign: ' ', text: a[i] ?? ''});
      ++i;
      ++j;
    } else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1))) {
      lines.push({sign: '-', text: a[i++] ?? ''});
    } else {
      lines.push({sign: '+', text: b[j++] ?? ''});
    }
  }
  return lines;
}
