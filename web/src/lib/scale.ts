// A straight line from values to pixels. (d3-scale would do it too, and brings the formats of all numbers and dates along.)

export function straight([least, most]: [number, number], [from, to]: [number, number]): (value: number) => number {
  return (value) => from + ((value - least) / (most - least || 1)) * (to - from);
}
