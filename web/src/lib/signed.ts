// Numbers that may be negative, as text with a real minus.

export function largest(vectors: number[][]): number {
  return vectors.reduce((most, vector) => Math.max(most, ...vector.map(Math.abs)), 0);
}

/** A number with a true minus, which is as wide as a digit; and no minus on a zero. */
export function digits(number: number, places = 2): string {
  const text = number.toFixed(places);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "−");
}

/** Large and small powers alike in few digits: 0.0004, 0.042, 7.39, 148, 2.2 × 10⁶. */
export function power(number: number): string {
  if (number === 0) return "0";
  if (number < 0.00005) return "≈ 0";
  if (number < 10) return number.toFixed(number < 0.01 ? 4 : number < 0.1 ? 3 : 2);
  if (number < 1_000_000) return number.toLocaleString("en", number < 100 ? { minimumFractionDigits: 1, maximumFractionDigits: 1 } : { maximumFractionDigits: 0 });
  const [digits, exponent] = number.toExponential(1).split("e");
  const raised = [...exponent.slice(1)].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]);
  return `${digits} × 10${raised.join("")}`;
}

/** A factor or a term in a sum: negative ones in brackets. */
export function term(number: number): string {
  const text = digits(number);
  return text.startsWith("−") ? `(${text})` : text;
}

export const share = (weight: number, places = 1): string => `${(100 * weight).toFixed(places)} %`;
