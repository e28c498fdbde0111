// The curves of a study of scaling, drawn by plotly.js: of the page of `stridewise scale` and of a report.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("stridewise-data").textContent).curves;
  if (!data || typeof Plotly === "undefined") return;
  // plotly.js takes tags in texts for markup; names of a program are none.
  const plain = (text) => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  // Okabe and Ito's colours, which everybody can tell apart.
  const colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a6d3b", "#999999"];

  function layout(title, logarithmic) {
    const axis = { gridcolor: colour("--rule"), zerolinecolor: colour("--rule") };
    return {
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { color: colour("--text") },
      modebar: { bgcolor: "rgba(0,0,0,0)", color: colour("--rule"), activecolor: colour("--text") },
      margin: { l: 70, r: 20, t: 10, b: 50 },
      height: 420,
      legend: { orientation: "h", y: -0.2 },
      xaxis: { ...axis, title: { text: data.unit || "ranks" }, type: "log" },
      yaxis: { ...axis, title: { text: title }, type: logarithmic ? "log" : "linear" },
    };
  }

  const line = (site, number, y, more) => ({
    x: data.ranks, y, mode: "lines", name: plain(site.name), legendgroup: number,
    line: { color: colours[number] }, ...more,
  });

  function prices() {
    const traces = [];
    data.sites.forEach((site, number) => {
      if (!site.most.length) return;
      traces.push(line(site, number, site.least, { showlegend: false, line: { color: colours[number], width: 1 } }));
      traces.push(line(site, number, site.most, { fill: "tonexty", line: { color: colours[number], width: 1 } }));
    });
    if (data.work.every((seconds) => seconds)) {
      traces.push({ x: data.ranks, y: data.work, mode: "lines", name: "what a rank computes",
        line: { color: colour("--text"), dash: "dash" } });
    }
    return [traces, layout("seconds", true)];
  }

  function counts() {
    const traces = [];
    data.sites.forEach((site, number) => {
      if (site.law.length) traces.push(line(site, number, site.law, {}));
      traces.push({ x: site.seen.map((p) => p[0]), y: site.seen.map((p) => p[1]), mode: "markers",
        name: plain(site.name), legendgroup: number, showlegend: !site.law.length, marker: { color: colours[number] } });
    });
    return [traces, layout(data.unit === "threads" ? "times" : "calls", true)];
  }

  function efficiency() {
    const series = (index, name) => ({ x: data.efficiency.map((p) => p[0]), y: data.efficiency.map((p) => p[index]),
      mode: "lines+markers", name });
    const shown = layout("share", false);
    shown.yaxis.range = [0, 1.1];
    return [[series(1, "efficiency"), series(2, "load balance")], shown];
  }

  const drawn = { prices, counts, efficiency };
  function draw() {
    for (const element of document.querySelectorAll(".chart[data-curve]")) {
      const [traces, how] = drawn[element.dataset.curve]();
      Plotly.react(element, traces, how, { responsive: true, displaylogo: false });
    }
  }
  document.addEventListener("stridewise-theme", draw);
  draw();
})();
