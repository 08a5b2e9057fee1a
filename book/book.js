// Maths: what the page builder marked as such, and nothing else. KaTeX is beside this file.
document.querySelectorAll(".arithmatex").forEach((element) =>
  renderMathInElement(element, {
    delimiters: [
      { left: "\\[", right: "\\]", display: true },
      { left: "\\(", right: "\\)", display: false },
    ],
    throwOnError: false,
  }),
);
