// How large drawings are: the unit they grow with, and a straight line from values to pixels. (d3-scale would do it too, and brings the formats of all numbers and dates along.)

export function straight([least, most]: [number, number], [from, to]: [number, number]): (value: number) => number {
  return (value) => from + ((value - least) / (most - least || 1)) * (to - from);
}

/** How much larger the page's letters are than usual: on a very wide screen all grows. */
export function unit(): number {
  return (parseFloat(getComputedStyle(document.documentElement).fontSize) || 16) / 16;
}
