// Draws each chart from the JSON beside it. Expressions are interpreted: nothing is made into code.
"use strict";
const box = (chart) => Math.max(200, Math.floor(chart.clientWidth));
function draw(chart) {
  const spec = JSON.parse(document.getElementById(chart.id + "-data").textContent);
  spec.width = box(chart);
  spec.config.legend.columns = Math.min(3, Math.max(1, Math.floor(box(chart) / 190)));
  if (spec.usermeta?.square) spec.width = spec.height = Math.min(520, box(chart) - 70);
  return vegaEmbed(chart, spec, { ast: true, actions: false, renderer: "svg" })
    .then((drawn) => { chart.dataset.drawn = "yes"; chart.drawnWidth = box(chart); chart.view = drawn; })
    .catch((fault) => { chart.textContent = "This chart could not be drawn; its table is below."; console.error(fault); });
}
const charts = [...document.querySelectorAll(".chart")];
Promise.all(charts.map(draw)).then(() => { document.documentElement.dataset.drawn = "yes"; });
addEventListener("beforeprint", () => document.querySelectorAll("details.folded").forEach((d) => { d.open = true; }));
let waiting;
addEventListener("resize", () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => charts.filter((c) => c.drawnWidth !== box(c)).forEach((c) => { c.view?.finalize(); draw(c); }), 200);
});
