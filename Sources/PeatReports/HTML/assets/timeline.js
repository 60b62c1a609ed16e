// The timeline: a lane a node, arrows between them, emergencies and hazards as bands, and under the
// same axis when links stood. One path for each sort of mark, so that 10 000 messages are quick.

const MAX_HEARD = 40, MAX_HEARSAY = 12, MAX_LINKS = 24, MAX_ARROWS = 160;
const view = { from: 0, to: 1, chosen: -1 };
let lanes = [], laneOf = new Map(), rowsOfLinks = [], stage = null;

function layLanes() {
  const heard = Math.min(D.heard, MAX_HEARD);
  for (let i = 0; i < heard; i++) lanes.push({ node: i, heard: true });
  const hearsay = Math.min(D.nodes.length - D.heard, MAX_HEARSAY);
  for (let i = 0; i < hearsay; i++) lanes.push({ node: D.heard + i, heard: false });
  lanes.forEach((lane, i) => laneOf.set(lane.node, i));
  let strange = D.bins.lanes.some(lane => !laneOf.has(lane.node));
  for (let i = 0; i < M.count && !strange; i++) strange = lane(i) < 0;
  if (strange) { laneOf.set(-2, lanes.length); lanes.push({ node: -2, heard: true }); }
  let y = 34;
  for (const one of lanes) {
    const height = one.heard ? (lanes.length > 16 ? 32 : 46) : 26;
    one.y = y + height / 2;
    y += height;
  }
  const byPair = new Map();
  for (const link of D.links) {
    if (link.from === undefined || link.until === undefined) continue;
    const key = [link.file, link.adapter, link.local, link.peer || link.id].join(" ");
    if (!byPair.has(key)) byPair.set(key, { link, lives: [] });
    byPair.get(key).lives.push(link);
  }
  rowsOfLinks = [...byPair.values()].slice(0, MAX_LINKS);
  stage = { lanesEnd: y, linksFrom: y + (rowsOfLinks.length ? 26 : 4), left: 104, right: 14 };
  stage.axis = stage.linksFrom + rowsOfLinks.length * 18 + 4;
  stage.height = stage.axis + 26;
}

/** The lane of a message: its author's, else that of the device that sent it. */
function lane(i) {
  const node = M.node[i] >= 0 ? M.node[i] : ends(i)[0];
  const place = laneOf.get(node);
  return place !== undefined ? place : laneOf.has(-2) ? laneOf.get(-2) : -1;
}

/** Whether links have different nodes at this end. */
function namesBothEnds() { return D.files.length > 1 || D.links.some(link => link.a !== D.links[0].a); }

/** What a link goes to, for its row. */
function linkLabel(link) {
  const peer = link.b >= 0 ? name(link.b, 14) : link.peer ? link.peer.slice(-8) : `link ${link.id}`;
  return namesBothEnds()
    ? `${link.a >= 0 ? name(link.a, 7) : "?"} – ${shorten(peer, 8)}` : peer;
}

function x(us) { return stage.left + (us - view.from) / (view.to - view.from) * (stage.width - stage.left - stage.right); }
function moment(px) { return view.from + (px - stage.left) / (stage.width - stage.left - stage.right) * (view.to - view.from); }
function round(number) { return Math.round(number * 10) / 10; }

/** The first message at or behind a moment. */
function firstAt(us) {
  let low = 0, high = M.count;
  while (low < high) { const middle = (low + high) >> 1; if (M.at[middle] < us) low = middle + 1; else high = middle; }
  return low;
}

function draw() {
  stage.width = room();
  stage.left = stage.width < 620 ? 82 : namesBothEnds() ? 148 : 112;
  const from = firstAt(view.from), to = firstAt(view.to + 1);
  const root = drawing(stage.width, stage.height, `${plural(to - from, "message")} between ${clock(view.from, 1)} and ${clock(view.to, 1)} on ${plural(lanes.length, "lane")}`);
  root.append(svg("clipPath", { id: "plot" }, svg("rect", { x: stage.left - 5, y: 0, width: stage.width - stage.left - stage.right + 10, height: stage.height })));
  const plot = svg("g", { "clip-path": "url(#plot)" });
  drawBands(plot);
  drawAxis(root, plot);
  drawLanes(root);
  drawMarks(plot, from, to);
  drawLinks(root, plot);
  root.append(plot);
  drawBandLabels(root);
  at("lanes").replaceChildren(root);
  say("timeline-note", note(from, to));
}

function note(from, to) {
  const parts = [];
  if (M.count) parts.push(`${plural(to - from, "message")} in view. ${to - from > MAX_ARROWS ? "Arrows from sender to receiver appear when there is room for them. " : ""}Drag to move, + and − or Ctrl and the wheel to zoom; choose a message for its bytes.`);
  if (M.folded) parts.push(`${grouped(M.folded)} of ${plural(D.messages, "message")} are drawn as counts and not one by one: those that only repeat${M.folded_changes ? `, and ${plural(M.folded_changes, "plain change")}` : ""}. peat-inspect -v, or -f ndjson, shows each.`);
  if (M.without_bytes) parts.push(`The bytes of ${plural(M.without_bytes, "message")} found no room on the page.`);
  const hidden = D.nodes.length + D.nodes_left_out - lanes.filter(lane => lane.node >= 0).length;
  if (hidden > 0) parts.push(`${plural(hidden, "more node")} ${hidden === 1 ? "has" : "have"} no lane of their own.`);
  return parts.join(" ");
}

function drawBands(plot) {
  for (const hazard of D.hazards) {
    if (hazard.until < view.from || hazard.at > view.to) continue;
    const from = x(Math.max(hazard.at, view.from)), to = x(Math.min(hazard.until, view.to));
    if (hazard.kind === "collision") {
      const place = laneOf.get(hazard.node);
      if (place !== undefined) plot.append(path(`M${round(from)} ${lanes[place].y + 15}H${round(Math.max(to, from + 3))}`, "collide"));
    } else if (hazard.kind === "clock" || hazard.kind === "gap") {
      plot.append(path(`M${round(from)} 22V${stage.axis}`, "clock"));
    } else {
      plot.append(svg("rect", { class: "haze", x: round(from), y: 22, width: Math.max(2, round(to - from)), height: stage.lanesEnd - 22 }));
    }
  }
  for (const emergency of D.emergencies) {
    const [from, to] = bandOf(emergency);
    if (to < view.from || from > view.to) continue;
    const left = x(from), width = Math.max(3, x(to) - left);
    plot.append(svg("rect", { class: "band", x: round(left), y: 22, width: round(width), height: stage.axis - 22 }));
    if (emergency.acked < emergency.audience) plot.append(path(`M${round(left)} 22V${stage.axis}M${round(left + width)} 22V${stage.axis}`, "edge"));
  }
}

/** From the raising to the last acknowledgement; where somebody never did, to its end. */
function bandOf(emergency) {
  const from = emergency.raised !== undefined ? emergency.raised : Math.max(0, emergency.first[0]);
  const isDone = emergency.acked >= emergency.audience && emergency.last_ack !== undefined;
  return [from, Math.max(from, isDone ? emergency.last_ack : emergency.end !== undefined ? emergency.end : D.span)];
}

function drawBandLabels(root) {
  const rows = [-Infinity, -Infinity];
  D.emergencies.forEach((emergency, i) => {
    const [from, to] = bandOf(emergency);
    if (to < view.from || from > view.to) return;
    const isShort = stage.width < 620 || D.emergencies.length > 4;
    const all = emergency.acked >= emergency.audience;
    const text = (isShort ? `E${i + 1} ` : `Emergency ${i + 1}: `) + (all ? (isShort ? "" : "all acked in ") + span(to - from) : `${emergency.acked} of ${emergency.audience}${isShort ? "" : " acked"}`);
    const width = text.length * 7.4;
    const left = Math.min(Math.max(x(Math.max(from, view.from)), stage.left), stage.width - width - 4);
    const row = rows.findIndex(end => left > end + 6);
    if (row < 0) return;
    rows[row] = left + width;
    root.append(svg("text", { class: "alarm", x: round(left), y: row ? 28 : 14 }, text));
  });
}

const STEPS = [1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 1e7, 1.5e7, 3e7, 6e7, 1.2e8, 3e8, 6e8, 9e8, 1.8e9, 3.6e9, 7.2e9, 1.44e10, 4.32e10, 8.64e10, 1.728e11, 8.64e11, 8.64e12];

function drawAxis(root, plot) {
  if (!(D.span > 0)) return;
  const count = Math.max(2, Math.floor((stage.width - stage.left) / 96));
  const step = STEPS.find(step => (view.to - view.from) / step <= count) || 8.64e13;
  // Ticks stand on whole seconds of the clock, not of the capture.
  const phase = D.timed ? (((D.start % step) + step) % step) : 0;
  const decimals = step < 1e4 ? 3 : step < 1e5 ? 2 : step < 1e6 ? 1 : 0;
  let d = "", end = stage.left - 40;
  for (let us = Math.ceil((view.from + phase) / step) * step - phase; us <= view.to; us += step) {
    const place = x(us);
    d += `M${round(place)} 30V${stage.axis}`;
    const text = step >= 8.64e10 ? day(us) : clock(us, decimals), width = text.length * 6.9;
    let left = place - width / 2;
    if (left + width > stage.width - 2) left = stage.width - 2 - width;
    if (left < end + 10 || us < 0) continue;
    end = left + width;
    root.append(svg("text", { class: "tick", x: round(left), y: stage.axis + 18 }, text));
  }
  plot.append(path(d, "grid"));
}

function drawLanes(root) {
  for (const one of lanes) {
    const right = stage.width - stage.right;
    root.append(svg("path", { class: one.heard ? "lane" : "lane off", d: `M${stage.left} ${one.y}H${right}` }));
    const text = one.node < 0 ? "others" : name(one.node, stage.width < 620 ? 10 : 14);
    root.append(svg("text", { x: 8, y: one.y + 4, class: one.heard ? null : "tick" }, text));
  }
}

function drawMarks(plot, from, to) {
  const d = { rep: "", chg: "", bad: "", ack: "", emg: "", arrow: "", head: "" }, taken = new Set();
  drawBins(plot);
  for (let i = from; i < to; i++) {
    const place = lane(i);
    if (place < 0) continue;
    const flags = M.flags[i], px = round(x(M.at[i])), y = lanes[place].y;
    const isBad = flags & (FLAG.malformed | FLAG.refused | FLAG.cut | FLAG.unopened);
    const kind = isBad ? "bad" : flags & FLAG.changed ? "chg" : "rep";
    const key = (Math.round(px * 2) * 64 + place) * 4 + (isBad ? 2 : flags & FLAG.changed ? 1 : 0);
    if (!taken.has(key)) {
      taken.add(key);
      const half = kind === "rep" ? 4 : 8;
      d[kind] += `M${px} ${y - half}v${2 * half}`;
    }
    if (flags & FLAG.emergency) d.emg += `M${px} ${y - 10}l7 12h-14z`;
    if (flags & FLAG.ack) d.ack += `M${px} ${y - 7}l6 7l-6 7l-6 -7z`;
    if (to - from <= MAX_ARROWS) arrow(i, px, d);
  }
  plot.append(...[path(d.arrow, "arrow"), path(d.head, "head"), path(d.rep, "m-rep"), path(d.chg, "m-chg"), path(d.bad, "m-bad"), path(d.ack, "m-ack"), path(d.emg, "m-emg")].filter(Boolean));
  if (view.chosen >= 0 && lane(view.chosen) >= 0) {
    const px = round(x(M.at[view.chosen])), y = lanes[lane(view.chosen)].y;
    plot.append(svg("circle", { class: "mark", cx: px, cy: y, r: 13 }));
  }
}

/** From the sender's lane to the receiver's; slanted where two captures tell how long it took. */
function arrow(i, px, d) {
  const [sender, receiver] = ends(i).map(node => laneOf.get(node));
  if (sender === undefined || receiver === undefined || sender === receiver) return;
  const from = lanes[sender].y, to = lanes[receiver].y, way = to > from ? 1 : -1;
  const end = M.latency[i] === undefined ? px : round(x(M.at[i] + M.latency[i]));
  d.arrow += `M${px} ${from + way * 8}L${end} ${to - way * 5}`;
  d.head += `M${end} ${to - way}l-3.5 ${-way * 7}h7z`;
}

/** Messages that are counts: bars whose height grows with the logarithm. */
function drawBins(plot) {
  let repeats = "", changes = "";
  const width = Math.max(1, (x(D.bins.width) - x(0)) * 0.9);
  for (const one of D.bins.lanes) {
    const place = laneOf.has(one.node) ? laneOf.get(one.node) : laneOf.get(-2);
    if (place === undefined) continue;
    for (let i = 0; i < one.counts.length; i += 3) {
      const us = one.counts[i] * D.bins.width;
      if (us + D.bins.width < view.from || us > view.to) continue;
      const px = round(x(us)), y = lanes[place].y;
      const high = count => round(2 + Math.min(11, Math.log2(1 + count) * 2));
      if (one.counts[i + 1]) { const h = high(one.counts[i + 1]); repeats += `M${px} ${y}h${round(width)}v${h}h${-round(width)}z`; }
      if (one.counts[i + 2]) { const h = high(one.counts[i + 2]); changes += `M${px} ${y}h${round(width)}v${-h}h${-round(width)}z`; }
    }
  }
  plot.append(...[path(repeats, "m-bin"), path(changes, "m-binc")].filter(Boolean));
}

function drawLinks(root, plot) {
  if (!rowsOfLinks.length) return;
  root.append(svg("text", { class: "tick", x: 8, y: stage.linksFrom - 8 }, "Links"));
  rowsOfLinks.forEach((row, place) => {
    const y = stage.linksFrom + place * 18 + 9;
    root.append(svg("text", { class: "tick", x: 8, y: y + 4 }, shorten(linkLabel(row.link), stage.width < 620 ? 11 : 19)));
    let ups = "", downs = "", lefts = "";
    row.lives.forEach((life, index) => {
      if (life.until < view.from || life.from > view.to) return;
      const from = x(life.from), to = Math.max(from + 2, x(life.until));
      ups += `M${round(from)} ${y - 4}H${round(to)}v8H${round(from)}z`;
      if (!life.opens) lefts += `M${round(from)} ${y - 7}v14`;
      if (!life.ends) return;
      downs += `M${round(to)} ${y - 7}v14`;
      const next = row.lives[index + 1], space = (next ? x(next.from) : stage.width - stage.right) - to;
      if (life.reason && space > life.reason.length * 6.4 + 10) plot.append(svg("text", { class: "tick", x: round(to + 6), y: y + 4 }, life.reason));
    });
    plot.append(...[path(ups, "up"), path(lefts, "left"), path(downs, "down")].filter(Boolean));
  });
}
