// The page of `--format html`: filter, order, keyboard, theme, and the pictures, which plotly.js draws where it is there.
"use strict";
(() => {
  const runs = JSON.parse(document.getElementById("stridewise-data").textContent).runs;
  const all = (selector, from) => Array.from((from || document).querySelectorAll(selector));
  const one = (selector) => document.querySelector(selector);
  // plotly.js takes tags in texts for markup; names of a program are none.
  const plain = (text) => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  // --- Findings ------------------------------------------------------------------------------------------------------
  const findings = all("article[data-rule]");
  const rows = all("tr[data-finding]");
  const controls = all(".filter [data-by]");
  const count = one(".filter output");

  function shown(element) {
    return controls.every((control) => {
      const wanted = control.value.trim();
      if (!wanted) return true;
      if (control.dataset.by === "text") return element.dataset.text.includes(wanted.toLowerCase());
      if (control.dataset.by === "phase") return element.dataset.phases.split(";").includes(wanted);
      if (control.dataset.by === "rank") return element.dataset.ranks.split(" ").includes(wanted);
      return element.dataset[control.dataset.by] === wanted;
    });
  }

  function filter() {
    const kept = new Set();
    for (const article of findings) {
      article.hidden = !shown(article);
      if (!article.hidden) kept.add(article.id.replace("finding-", ""));
    }
    for (const row of rows) row.hidden = !kept.has(row.dataset.finding);
    if (count) count.textContent = `${kept.size} of ${findings.length} findings`;
  }

  for (const control of controls) control.addEventListener("input", filter);

  function order(table, column) {
    const body = table.tBodies[0];
    const head = table.tHead.rows[0].cells[column];
    const up = head.getAttribute("aria-sort") !== "ascending";
    for (const cell of table.tHead.rows[0].cells) cell.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const key = (row) => row.cells[column].dataset.value || row.cells[column].textContent.trim();
    const sorted = Array.from(body.rows).sort((a, b) => {
      const [x, y] = [key(a), key(b)];
      const difference = parseFloat(x) - parseFloat(y);
      return (up ? 1 : -1) * (Number.isNaN(difference) || !difference ? x.localeCompare(y) : difference);
    });
    body.append(...sorted);
  }

  for (const table of all("table.sortable")) {
    Array.from(table.tHead.rows[0].cells).forEach((cell, column) => {
      cell.tabIndex = 0;
      cell.addEventListener("click", () => order(table, column));
      cell.addEventListener("keydown", (event) => {
        if (event.key === "Enter") order(table, column);
      });
    });
  }

  let current = -1;
  function go(step) {
    const visible = findings.filter((article) => !article.hidden);
    if (!visible.length) return;
    current = Math.min(Math.max(current + step, 0), visible.length - 1);
    reveal(visible[current]);
  }

  function reveal(article) {
    for (let around = article.parentElement; around; around = around.parentElement)
      if (around.tagName === "DETAILS") around.open = true;
    article.tabIndex = -1;
    article.focus();
    article.scrollIntoView({ block: "start" });
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const text = one('.filter [data-by="text"]');
    if (event.key === "j") go(1);
    else if (event.key === "k") go(-1);
    else if (event.key === "t") theme();
    else if (event.key === "/" && text) {
      event.preventDefault();
      text.focus();
    }
  });

  function theme() {
    const root = document.documentElement;
    const dark = root.dataset.theme
      ? root.dataset.theme === "dark"
      : window.matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    draw();
    document.dispatchEvent(new Event("stridewise-theme"));
  }
  for (const button of all("button.theme")) button.addEventListener("click", theme);
  for (const button of all("button.rank")) {
    button.addEventListener("click", () => {
      const choice = one('.filter [data-by="rank"]');
      if (!choice) return;
      choice.value = button.dataset.rank;
      filter();
    });
  }
  filter();

  // --- Pictures ------------------------------------------------------------------------------------------------------
  const states = ["computing", "sending", "receiving", "completing", "collective", "barrier", "files", "other MPI"];
  const colours = ["#4c9f70", "#e6a23c", "#d9822b", "#b5651d", "#8e6fc1", "#c0392b", "#3b7dd8", "#7f8c8d"];
  const CELLS = 700;

  function layout(more) {
    const axis = { gridcolor: colour("--rule"), zerolinecolor: colour("--rule"), automargin: true };
    const base = {
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { color: colour("--text"), size: 12 },
      modebar: { bgcolor: "rgba(0,0,0,0)", color: colour("--rule"), activecolor: colour("--text") },
      margin: { l: 60, r: 20, t: 10, b: 45 },
      // As many as call sites that are told apart.
      colorway: ["#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22", "#17becf", "#393b79", "#e7ba52"],
    };
    const whole = Object.assign(base, more);
    whole.xaxis = Object.assign({}, axis, more.xaxis);
    whole.yaxis = Object.assign({}, axis, more.yaxis);
    return whole;
  }
  const options = { responsive: true, displaylogo: false };

  // What takes most of each cell of the timeline between two times, in seconds.
  function cells(timeline, from, to, marked) {
    const unit = timeline.unit_ns * 1e-9;
    const width = (to - from) / CELLS;
    const z = [];
    const text = [];
    for (const row of timeline.rows) {
      const best = new Float64Array(CELLS);
      const busy = new Float64Array(CELLS);
      const codes = new Int32Array(CELLS).fill(-1);
      let at = 0;
      for (let i = 0; i < row.data.length; i += 4) {
        const begin = at + row.data[i];
        const end = begin + row.data[i + 1];
        at = end;
        const b = begin * unit;
        const e = end * unit;
        if (e <= from || b >= to) continue;
        const share = row.data[i + 2] / row.data[i + 1];
        const first = Math.max(0, Math.floor((b - from) / width));
        const last = Math.min(CELLS - 1, Math.floor((e - from) / width));
        for (let c = first; c <= last; c++) {
          const taken = Math.max(0, Math.min(e, from + (c + 1) * width) - Math.max(b, from + c * width)) * share;
          busy[c] += taken;
          if (taken > best[c]) {
            best[c] = taken;
            codes[c] = row.data[i + 3];
          }
        }
      }
      const values = [];
      const words = [];
      for (let c = 0; c < CELLS; c++) {
        const middle = from + (c + 0.5) * width;
        if (middle < row.begin * unit || middle > row.end * unit) {
          values.push(null);
          words.push("");
          continue;
        }
        const computing = codes[c] < 0 || busy[c] < width / 2;
        const place = computing ? null : timeline.places[codes[c] >> 3];
        const state = computing ? 0 : codes[c] & 7;
        const dim = marked && !(place && place.findings.includes(marked));
        values.push(state + (dim ? states.length : 0));
        words.push(
          computing
            ? "computing"
            : `${states[state]}: ${plain(place.label)}` +
                (place.findings.length ? ` (finding ${place.findings.join(", ")})` : "")
        );
      }
      z.push(values);
      text.push(words);
    }
    const x = Array.from({ length: CELLS }, (_, c) => from + (c + 0.5) * width);
    return { x, z, text, codes: null };
  }

  function scale() {
    const faded = colours.map((c) => c + "26");
    const steps = [];
    const every = colours.concat(faded);
    every.forEach((c, i) => steps.push([i / every.length, c], [(i + 1) / every.length, c]));
    return steps;
  }

  function drawTimeline(element, run) {
    const timeline = run.timeline;
    const unit = timeline.unit_ns * 1e-9;
    const whole = [0, Math.max(...timeline.rows.map((row) => row.end * unit))];
    const choice = one(`select.mark[data-run="${element.dataset.run}"]`);
    const marked = () => (choice && choice.value ? Number(choice.value) : 0);
    const range = element.range || whole;
    const y = timeline.rows.map((row) => row.label);
    const drawn = cells(timeline, range[0], range[1], marked());
    const trace = {
      type: "heatmap",
      x: drawn.x,
      y,
      z: drawn.z,
      text: drawn.text,
      hovertemplate: "%{y}, %{x:.6f} s<br>%{text}<extra></extra>",
      zmin: 0,
      zmax: 2 * states.length,
      zsmooth: false,
      ygap: y.length > 64 ? 0 : 1,
      colorscale: scale(),
      showscale: false,
    };
    const legend = states.map((name, i) => ({
      type: "scatter",
      mode: "markers",
      x: [null],
      y: [y[0]],
      name,
      marker: { color: colours[i], symbol: "square", size: 10 },
      hoverinfo: "skip",
    }));
    const figure = layout({
      height: Math.max(220, Math.min(900, 110 + 22 * y.length)),
      xaxis: { title: { text: "seconds since the first rank left MPI_Init" }, range },
      yaxis: { autorange: "reversed", fixedrange: true },
      legend: { orientation: "h", y: 1.02, yanchor: "bottom" },
    });
    element.range = range;
    Plotly.react(element, [trace, ...legend], figure, options);
    if (element.watched) return;
    element.watched = true;
    const again = (next) => {
      element.range = next;
      drawTimeline(element, run);
    };
    element.on("plotly_relayout", (change) => {
      if (change["xaxis.autorange"]) again(whole);
      else if ("xaxis.range[0]" in change) again([change["xaxis.range[0]"], change["xaxis.range[1]"]].map(Number));
    });
    element.on("plotly_doubleclick", () => {
      again(whole);
      return false;
    });
    element.on("plotly_click", (event) => {
      const found = /\(finding (\d+)/.exec(event.points[0].text || "");
      const article = found && document.getElementById(`finding-${found[1]}`);
      if (article) reveal(article);
    });
    if (choice) choice.addEventListener("input", () => again(element.range));
  }

  function drawMatrix(element, run) {
    const { step, size, cells: sent } = run.traffic;
    const empty = () => Array.from({ length: size }, () => new Array(size).fill(null));
    const [bytes, messages] = [empty(), empty()];
    for (const [source, target, count, volume] of sent) {
      bytes[source][target] = volume;
      messages[source][target] = count;
    }
    const names = Array.from({ length: size }, (_, i) => (step === 1 ? `${run.ranks[i]}` : `${run.ranks[i * step]}…`));
    const trace = {
      type: "heatmap",
      x: names,
      y: names,
      z: bytes,
      customdata: messages,
      colorscale: "Viridis",
      colorbar: { title: { text: "bytes" } },
      hovertemplate: "from %{y} to %{x}: %{z:,} B in %{customdata:,} messages<extra></extra>",
    };
    const axis = (text) => ({ title: { text }, type: "category" });
    const yaxis = Object.assign(axis("sender"), { autorange: "reversed" });
    Plotly.react(element, [trace], layout({ height: 420, xaxis: axis("receiver"), yaxis }), options);
  }

  function bytesOf(value) {
    const units = ["B", "KiB", "MiB", "GiB"];
    let at = 0;
    for (; value >= 1024 && at < 3; at++) value /= 1024;
    return `${value} ${units[at]}`;
  }

  function drawSizes(element, run) {
    const names = run.sizes.map(([bucket]) => (bucket ? `from ${bytesOf(2 ** (bucket - 1))}` : "empty"));
    const bar = (name, at, yaxis) => ({
      type: "bar",
      name,
      x: names,
      y: run.sizes.map((row) => row[at]),
      yaxis,
      offsetgroup: name,
      marker: { color: colours[at] },
    });
    const figure = layout({
      height: 320,
      xaxis: { type: "category" },
      yaxis: { title: { text: "messages" } },
      legend: { orientation: "h", y: 1.02, yanchor: "bottom" },
    });
    figure.yaxis2 = { title: { text: "bytes" }, overlaying: "y", side: "right", showgrid: false, automargin: true };
    Plotly.react(element, [bar("messages", 1, "y"), bar("bytes", 2, "y2")], figure, options);
  }

  function drawWaiting(element, run) {
    const ranks = run.ranks.map((rank) => `rank ${rank}`);
    const traces = run.waits.places.map((place, i) => ({
      type: "bar",
      name: plain(place.label),
      x: ranks,
      y: run.waits.seconds[i],
      hovertemplate: "%{x}: %{y:.4g} s<extra>%{fullData.name}</extra>",
    }));
    const figure = layout({
      height: 380 + 18 * traces.length,
      barmode: "stack",
      xaxis: { type: "category" },
      yaxis: { title: { text: "seconds" } },
      legend: { orientation: "h", y: -0.15, yanchor: "top" },
    });
    Plotly.react(element, traces, figure, options);
  }

  function drawEfficiency(element, run) {
    const names = run.efficiency.map((e) => e.name);
    const trace = {
      type: "icicle",
      labels: names,
      parents: run.efficiency.map((e) => e.of),
      values: names.map((name) => (name === "parallel efficiency" ? 4 : name === "communication" ? 2 : name === "load balance" ? 2 : 1)),
      text: run.efficiency.map((e) => `${(100 * e.share).toFixed(1)} %`),
      textinfo: "label+text",
      hoverinfo: "label+text",
      branchvalues: "remainder",
      marker: {
        colors: run.efficiency.map((e) => e.share),
        colorscale: [[0, "#c0392b"], [0.8, "#e6a23c"], [1, "#4c9f70"]],
        cmin: 0,
        cmax: 1,
      },
      tiling: { orientation: "h" },
    };
    Plotly.react(element, [trace], layout({ height: 260, margin: { l: 10, r: 10, t: 10, b: 10 } }), options);
  }

  function drawPaths(element, run) {
    const ids = run.paths.map((_, i) => `p${i}`);
    const whole = run.seconds * 1e9;
    const trace = {
      type: "icicle",
      ids,
      labels: run.paths.map((p) => plain(p[0]) + (p[4].length ? ` (finding ${p[4].join(", ")})` : "")),
      parents: run.paths.map((p) => (p[1] < 0 ? "" : ids[p[1]])),
      values: run.paths.map((p) => p[2]),
      text: run.paths.map((p) => `${(p[2] * 1e-9).toPrecision(3)} s, ${((100 * p[2]) / whole).toFixed(1)} % of the run, ${p[3]} calls`),
      textinfo: "label+text",
      hovertemplate: "%{label}<br>%{text}<extra></extra>",
      branchvalues: "total",
      marker: { colors: run.paths.map((p) => p[2] / whole), colorscale: [[0, "#4c9f70"], [0.1, "#e6a23c"], [1, "#c0392b"]], cmin: 0, cmax: 0.5 },
      tiling: { orientation: "v" },
    };
    const depths = [];
    for (const [, parent] of run.paths) depths.push(parent < 0 ? 1 : depths[parent] + 1);
    const height = 80 + 34 * Math.max(...depths);
    Plotly.react(element, [trace], layout({ height, margin: { l: 10, r: 10, t: 10, b: 10 } }), options);
  }

  function drawSites(element, run) {
    const listed = run.sites.slice().reverse();
    const names = listed.map((site) => plain(site[0]));
    const bar = (name, values, i) => ({ type: "bar", orientation: "h", name, y: names, x: values, marker: { color: colours[i] } });
    const traces = [
      bar("mean of the ranks", listed.map((s) => s[1]), 3),
      bar("slowest rank beyond it", listed.map((s) => Math.max(0, s[2] - s[1])), 5),
    ];
    const figure = layout({
      height: 120 + 22 * names.length,
      barmode: "stack",
      xaxis: { title: { text: "seconds" } },
      legend: { orientation: "h", y: 1.02, yanchor: "bottom" },
    });
    Plotly.react(element, traces, figure, options);
  }

  function drawRoofline(element, run) {
    const { points, levels, peaks } = run.roofline;
    const top = Math.max(...peaks.map((p) => p[1]));
    const xs = points.map((p) => p[1]);
    const low = Math.min(0.01, ...xs) / 2;
    const ridge = top / Math.min(...levels.map((l) => l[1]));
    const high = 2 * Math.max(ridge, ...xs);
    const slopes = levels.map(([name, speed]) => ({
      type: "scatter",
      mode: "lines",
      name: `${plain(name)} ${(speed * 1e-9).toPrecision(3)} GB/s`,
      x: [low, top / speed],
      y: [low * speed * 1e-9, top * 1e-9],
      hoverinfo: "name",
    }));
    const steepest = Math.max(...levels.map((l) => l[1]));
    const flats = peaks.map(([name, speed]) => ({
      type: "scatter",
      mode: "lines",
      name: `${plain(name)} ${(speed * 1e-9).toPrecision(3)} Gflop/s`,
      x: [speed / steepest, high],
      y: [speed * 1e-9, speed * 1e-9],
      line: { dash: speed === top ? "solid" : "dash" },
      hoverinfo: "name",
    }));
    const loops = {
      type: "scatter",
      mode: "markers",
      name: "loops",
      x: xs,
      y: points.map((p) => p[2] * 1e-9),
      text: points.map((p) => `${plain(p[0])}<br>${(100 * p[3]).toFixed(1)} % of the least time, bound by ${plain(p[4])}`),
      hovertemplate: "%{text}<br>%{x:.3g} flops/B, at most %{y:.3g} Gflop/s<extra></extra>",
      marker: { size: points.map((p) => 8 + 32 * Math.sqrt(p[3])), color: colours[5], opacity: 0.7 },
    };
    const figure = layout({
      height: 460,
      xaxis: { type: "log", title: { text: "flops for each byte from memory" } },
      yaxis: { type: "log", title: { text: "Gflop/s" } },
      legend: { orientation: "h", y: -0.2, yanchor: "top" },
    });
    Plotly.react(element, [...slopes, ...flats, loops], figure, options);
  }

  const painters = {
    roofline: drawRoofline,
    timeline: drawTimeline,
    matrix: drawMatrix,
    sizes: drawSizes,
    waiting: drawWaiting,
    efficiency: drawEfficiency,
    paths: drawPaths,
    sites: drawSites,
  };
  function draw() {
    if (typeof Plotly === "undefined") return;
    for (const element of all(".chart[data-run]")) painters[element.dataset.chart](element, runs[element.dataset.run]);
    document.documentElement.dataset.drawn = "yes";
  }
  draw();
})();
