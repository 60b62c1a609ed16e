// Links, positions, findings, receivers, nodes and the capture; then everything is put together.

function linksSection() {
  const section = at("links");
  if (!D.links.length) { section.append(el("p", { class: "mut" }, "No connection was seen.")); return; }
  const end = (node, address) => node >= 0 ? name(node) : address || "not known";
  const rows = D.links.map(link => {
    const traffic = link.messages ? link.bytes : 0;
    return [String(link.id), el("b", null, `${end(link.a, link.local)} – ${end(link.b, link.peer)}`), el("span", { class: "mono" }, link.peer || "–"),
      [link.opens ? clock(link.from, 1) : "before the capture", " ", frameLink(link.file, link.up_frame)],
      link.ends ? [`${clock(link.until, 1)} `, frameLink(link.file, link.down_frame), `, ${link.reason}`] : "still up at the end",
      link.from !== undefined && link.until !== undefined ? lasting(link.until - link.from) : "–",
      grouped(link.messages), traffic < 1e4 ? `${grouped(traffic)} B` : `${(Math.floor(traffic / 100) / 10).toFixed(1)} kB`, String(link.mtu), link.rssi ? `${link.rssi[0]} to ${link.rssi[1]}` : "–"];
  });
  section.append(table([["#", "num"], ["Between", ""], ["Peer's address", "wide"], ["Up, frame", ""], ["Down, frame, reason", ""], ["Lasted", "num"], ["Messages", "num"], ["Payload", "num"], ["MTU", "num wide"], ["dBm", "num wide"]], rows, { labels: true }));
  if (D.links_left_out) section.append(el("p", { class: "note" }, `${plural(D.links_left_out, "more link")} found no room; peat-inspect links tells them.`));
  if (!D.ways.length) return;
  section.append(el("h3", null, "What they carried"), table([["From", ""], ["To", ""], ["Messages", "num"], ["Told something", "num"], ["Median", "num"], ["95%", "num"], ["Worst", "num"], ["Latency", "num"]],
    D.ways.map(way => [end(way.from, way.from_end), end(way.to, way.to_end), grouped(way.messages), `${grouped(way.useful)} (${way.messages ? Math.floor(100 * way.useful / way.messages) : 0}%)`, ...(way.delay && way.delay[2] ? way.delay.map(span) : ["–", "–", "–"]), span(way.latency)]), { labels: true }),
    el("p", { class: "hint" }, "Told something: messages that told their receiver what it was not seen to know. The delays are from an update's first appearance until it went this way; – where nothing was late."));
}

const EARTH = 6371008.8;

/** Metres east and north of a place, near enough for a plot. */
function metres(fix, origin) {
  const rad = Math.PI / 180;
  return [(fix[1] - origin[1]) * rad * EARTH * Math.cos(origin[0] * rad), (fix[0] - origin[0]) * rad * EARTH];
}

function pairs(flat) {
  const out = [];
  for (let i = 0; i < flat.length; i += 2) out.push([flat[i], flat[i + 1]]);
  return out;
}

/** Points in a square, with the metres that its side stands for. */
function plot(points, width, height, margin) {
  const xs = points.map(p => p[0]), ys = points.map(p => p[1]);
  const low = [Math.min(...xs), Math.min(...ys)], size = Math.max(Math.max(...xs) - low[0], Math.max(...ys) - low[1], 1);
  const scale = Math.min(width - 2 * margin, height - 2 * margin) / size;
  const shift = [(width - (Math.max(...xs) - low[0]) * scale) / 2, (height - (Math.max(...ys) - low[1]) * scale) / 2];
  return { scale, put: p => [round(shift[0] + (p[0] - low[0]) * scale), round(height - shift[1] - (p[1] - low[1]) * scale)] };
}

function scaleBar(root, scale, x0, y0, most) {
  let length = Math.pow(10, Math.floor(Math.log10(most / scale)));
  for (const factor of [5, 2]) if (length * factor * scale <= most) { length *= factor; break; }
  const width = round(length * scale);
  root.append(path(`M${x0} ${y0 - 5}v5h${width}v-5`, "mark"), svg("text", { class: "tick", x: x0, y: y0 - 9 }, length >= 1000 ? `${length / 1000} km` : `${length} m`));
}

function positions() {
  const section = at("positions");
  const shown = D.nodes.map((node, i) => ({ place: i, node, fixes: node.track ? pairs(node.track) : [] })).filter(one => one.fixes.length);
  if (!shown.length) { section.append(el("p", { class: "mut" }, D.heard ? "No node sent a position." : "No node was heard.")); return; }
  const origin = shown[0].fixes[0], last = shown.map(one => metres(one.fixes[one.fixes.length - 1], origin));
  const width = Math.min(560, room()), height = 340, box = plot(last, width, height, 60);
  const root = drawing(width, height, `Last positions of ${plural(shown.length, "node")}`), taken = [];
  // Measured where it is drawn: what a name takes depends on the reader's fonts.
  section.append(root);
  const marks = shown.map((one, i) => {
    const mark = svg("text", null, name(one.place, 14));
    root.append(svg("circle", { class: "knew", cx: box.put(last[i])[0], cy: box.put(last[i])[1], r: 5 }), mark);
    return mark;
  });
  const widths = marks.map(mark => Math.ceil(mark.getComputedTextLength()) + 2);
  marks.forEach((mark, i) => {
    const [px, py] = box.put(last[i]), wide = widths[i];
    // Beside the dot, or below or above it where another name stands there.
    const spots = [[px + 10, py + 4], [px + 10, py + 20], [px + 10, py - 12], [px - wide - 10, py + 4], [px - wide - 10, py + 20], [px - wide - 10, py - 12]];
    const spot = spots.find(([sx, sy]) => sx > 2 && sx + wide < width && sy > 12 && sy < height - 4 && !taken.some(other => sx < other[0] + other[2] && other[0] < sx + wide && Math.abs(sy - other[1]) < 16));
    if (!spot) { mark.remove(); return; }
    taken.push([spot[0], spot[1], wide]);
    mark.setAttribute("x", round(spot[0]));
    mark.setAttribute("y", round(spot[1]));
  });
  scaleBar(root, box.scale, 14, height - 12, 110);
  root.append(svg("text", { class: "tick", x: width - 20, y: 20 }, "N"), path(`M${width - 15.5} 44v-18m-4 5l4 -5l4 5`, "mark"));
  const silent = D.nodes.slice(0, D.heard).map((node, i) => [node, i]).filter(([node]) => !node.track).map(([, i]) => name(i));
  const tracks = shown.filter(one => one.fixes.length > 1).slice(0, 24).map(one => {
    const points = one.fixes.map(fix => metres(fix, one.fixes[0])), small = plot(points, 178, 150, 22), picture = drawing(178, 150, `Track of ${name(one.place)}`);
    picture.append(path(points.map((point, i) => `${i ? "L" : "M"}${small.put(point).join(" ")}`).join(""), "line"));
    const [px, py] = small.put(points[points.length - 1]);
    picture.append(svg("circle", { class: "knew", cx: px, cy: py, r: 3.5 }));
    scaleBar(picture, small.scale, 10, 142, 50);
    return el("figure", null, el("div", { class: "card" }, picture), el("figcaption", null, `${name(one.place)}, ${plural(one.node.fixes, "position")}`));
  });
  section.append(el("div", { class: tracks.length ? "two" : "" },
    el("figure", { class: "card" }, root, el("figcaption", null, `Where each node was last.${silent.length ? ` No position from ${shorten(silent.join(", "), 200)}.` : ""}`)),
    tracks.length ? el("div", { class: "tracks" }, tracks) : null),
  table([["Node", ""], ["Latitude", "num"], ["Longitude", "num"], ["Positions", "num"]], shown.map(one => [el("b", null, name(one.place)), one.fixes[one.fixes.length - 1][0].toFixed(6), one.fixes[one.fixes.length - 1][1].toFixed(6), grouped(one.node.fixes)]), { labels: true }));
}

function findings() {
  const section = at("findings"), [errors, warnings, notes] = D.finding_counts;
  section.append(el("p", null, `${plural(errors, "error")}, ${plural(warnings, "warning")}, ${plural(notes, "note")}.`));
  if (D.findings.length) {
    section.append(table([["Severity", ""], ["Where", ""], ["What, and what to do", "full"], ["Times", "num"], ["Frames", "frames"]], D.findings.map(finding => [
      el("span", { class: `s-${finding.severity}` }, finding.severity),
      finding.node >= 0 ? name(finding.node) : finding.link ? `link ${finding.link}` : D.files.length > 1 ? fileName(finding.file) : "capture",
      [el("b", null, finding.message), el("br"), `${finding.text[0].toUpperCase()}${finding.text.slice(1)}. ${finding.advice} `, el("span", { class: "mut" }, `${finding.code}; ${finding.rule}`)],
      `${grouped(finding.count)}×`, frameLinks(finding.file, finding.frames, 6)]), { labels: false }));
  }
  if (D.findings_left_out) section.append(el("p", { class: "note" }, `${plural(D.findings_left_out, "more finding")} found no room; peat-inspect check tells them.`));
}

function receivers() {
  const section = at("receivers"), list = D.receivers.slice().sort((a, b) => b.loss - a.loss || b.count - a.count).slice(0, 100);
  if (!list.length) { section.append(el("p", { class: "mut" }, D.messages ? "Every receiver takes every message as it was meant." : "No message was seen.")); return; }
  section.append(table([["Receiver", ""], ["What it does", "full"], ["", ""], ["Messages", "num"], ["Of", ""], ["Frames", "frames"]], list.map(one => [
    el("b", null, one.name), one.text, el("span", { class: one.loss ? "s-warning" : "mut" }, one.loss ? "content is lost" : "nothing is lost"), grouped(one.count),
    shorten(one.nodes.map(node => name(node)).join(", "), 120), frameLinks(one.file, one.frames, 6)]), { labels: false }),
    el("p", { class: "hint" }, "What the known implementations make of these messages by their rules; whether such a receiver was there is not known."));
}

function nodes() {
  const section = at("nodes");
  if (!D.nodes.length) { section.append(el("p", { class: "mut" }, "No node was heard, and none is told of.")); return; }
  section.append(table([["Node", ""], ["Callsign", ""], ["Messages", "num"], ["Own count", "num"], ["Counts in all", "num wide"], ["Version", "num wide"], ["Battery", "num"], ["Activity", ""], ["Platform", "wide"], ["Address", "wide"], ["Last heard before the end", "num"]], D.nodes.map((node, i) => [
    el("span", { class: "mono" }, node.id), el("b", null, node.name ? name(i) : "–"), node.messages ? grouped(node.messages) : "never heard", node.count, node.total || "–", node.version !== undefined ? String(node.version) : "–",
    node.battery !== undefined ? `${node.battery}%` : "–", [node.activity ? node.activity.replace(/_/g, " ") : "–", node.alerts ? `, ${node.alerts.replace(/_/g, " ")}` : ""], node.platform || "–", el("span", { class: "mono" }, node.address || "–"), node.age !== undefined ? seconds(node.age * 1e6) : "–"]), { labels: true }),
    el("p", { class: "hint" }, `The joined counter of the mesh is ${D.total}. Nodes that were never heard are known from others' documents alone.`));
  if (D.nodes_left_out) section.append(el("p", { class: "note" }, `${plural(D.nodes_left_out, "more node")} found no room; peat-inspect state tells them.`));
}

function capture() {
  const section = at("capture");
  D.files.forEach((file, i) => section.append(el("dl", { class: "facts card" },
    el("dt", null, D.files.length > 1 ? `File ${i + 1}` : "File"), el("dd", null, file.name),
    el("dt", null, "SHA-256"), el("dd", { class: "mono" }, file.sha256 || "not known: it came through a pipe, or could not be read again"),
    file.size !== undefined ? [el("dt", null, "Length"), el("dd", null, `${grouped(file.size)} bytes`)] : [],
    el("dt", null, "Packets"), el("dd", null, grouped(file.packets)),
    el("dt", null, "From, to"), el("dd", null, file.first ? `${file.first} to ${file.last}` : "no packet has a time"),
    file.silence ? [el("dt", null, "No message"), el("dd", null, file.silence)] : [])));
  section.append(el("h3", null, "How this page was made"), el("p", null, el("code", null, D.command)),
    el("p", { class: "mut" }, `${D.tool}. Times are UTC. Spans are cut off after their last digit, as in the tool's text. The page needs no network and loads nothing.`));
}

// MARK: - Start

function buttons() {
  const add = (text, label, act) => { const button = el("button", { type: "button", "aria-label": label }, text); button.addEventListener("click", act); at("buttons").append(button); };
  add("+", "Zoom in", () => zoom(0.5));
  add("−", "Zoom out", () => zoom(2));
  add("All", "Show all", showAll);
  add("‹", "Message before", () => step(-1));
  add("›", "Next message", () => step(1));
  D.emergencies.slice(0, 8).forEach((emergency, i) => add(room() < 620 ? `E${i + 1}` : `Emergency ${i + 1}`, `Show emergency ${i + 1}`, () => showEmergency(i)));
  const sign = (text, d, kind) => el("span", null, svg("svg", { width: 16, height: 14, viewBox: "0 0 16 14", "aria-hidden": "true" }, path(d, kind)), text);
  at("key").append(sign("emergency first shown", "M8 1l6 11h-12z", "m-emg"), sign("acknowledgement", "M8 1l6 6l-6 6l-6 -6z", "m-ack"), sign("change", "M8 0v14", "m-chg"), sign("repeat", "M8 3v8", "m-rep"), sign("faulty or not opened", "M8 0v14", "m-bad"));
  const has = (...kinds) => D.hazards.some(hazard => kinds.includes(hazard.kind));
  if (has("gap", "clock")) at("key").append(sign("packets lost, or a clock step", "M8 0v14", "clock"));
  if (has("silence")) at("key").append(sign("nothing recorded", "M2 2h12v10h-12z", "haze"));
  if (has("collision")) at("key").append(sign("versions that are misread", "M1 8h14", "collide"));
  if (rowsOfLinks.length) at("key").append(sign("link up, ended", "M0 4h12v6h-12z", "up"));
}

function showEmergency(i) {
  const [from, to] = bandOf(D.emergencies[i]);
  const isDone = D.emergencies[i].acked >= D.emergencies[i].audience;
  const last = isDone ? to : Math.max(D.emergencies[i].last_ack || from, ...D.emergencies[i].nodes.map(lastOf));
  show(from - 1e6, Math.max(last, from) + 1.5e6);
}

/** `#frame=N` opens a message, `#emergency=N` an emergency. */
function followAddress() {
  const frame = /^#frame=(?:(\d+)\.)?(\d+)$/.exec(location.hash), emergency = /^#emergency=(\d+)$/.exec(location.hash);
  if (frame) {
    const file = frame[1] ? Number(frame[1]) - 1 : 0, place = find(file, Number(frame[2]));
    if (place >= 0) choose(place, true); else missing(file, Number(frame[2]));
    at("timeline").scrollIntoView();
  } else if (emergency && D.emergencies[emergency[1] - 1]) {
    showEmergency(emergency[1] - 1);
    at(`emergency-${emergency[1]}`).scrollIntoView();
  }
}

function listen() {
  const lanes = at("lanes");
  let drag = null;
  const place = event => { const box = lanes.getBoundingClientRect(); return [event.clientX - box.left - lanes.clientLeft, event.clientY - box.top - lanes.clientTop]; };
  lanes.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = { ArrowLeft: () => step(-1), ArrowRight: () => step(1), "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), Home: showAll }[event.key];
    if (act) { event.preventDefault(); act(); }
  });
  lanes.addEventListener("wheel", event => {
    if (!event.ctrlKey && document.activeElement !== lanes) return;
    event.preventDefault();
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) { const by = moment(event.deltaX) - moment(0); show(view.from + by, view.to + by); } else zoom(event.deltaY < 0 ? 0.8 : 1.25, moment(place(event)[0]));
  }, { passive: false });
  lanes.addEventListener("pointerdown", event => {
    if (event.button) return;
    const [px, py] = place(event);
    drag = { px, py, from: view.from, to: view.to, moved: false };
    lanes.setPointerCapture(event.pointerId);
  });
  lanes.addEventListener("pointermove", event => {
    const [px, py] = place(event);
    if (!drag) { say("hover", under(px, py)); return; }
    if (Math.abs(px - drag.px) > 4) drag.moved = true;
    if (drag.moved) { const by = (drag.px - px) / (stage.width - stage.left - stage.right) * (drag.to - drag.from); show(drag.from + by, drag.to + by); }
  });
  lanes.addEventListener("pointerup", event => {
    if (drag && !drag.moved) {
      const [px, py] = place(event), i = nearest(px, py);
      if (i >= 0) choose(i, false);
      say("hover", under(px, py));
    }
    drag = null;
  });
  lanes.addEventListener("pointercancel", () => { drag = null; });
  lanes.addEventListener("pointerleave", () => say("hover", ""));
  addEventListener("hashchange", followAddress);
  // The same address again is no change of it.
  document.addEventListener("click", event => {
    const link = event.target.closest && event.target.closest("a[href^='#']");
    if (link && link.getAttribute("href") === location.hash) followAddress();
  });
  let width = room();
  addEventListener("resize", () => { if (room() !== width) { width = room(); schedule(); } });
}

function start() {
  const hide = (id, isEmpty) => { at(id).hidden = isEmpty; };
  hide("emergencies", !D.messages);
  hide("spread", !D.messages);
  hide("positions", !D.messages);
  hide("receivers", !D.messages);
  hide("timeline", !D.messages && !D.links.length);
  head();
  answers();
  layLanes();
  view.from = -D.span * 0.02 - 1;
  view.to = D.span * 1.02 + 1;
  buttons();
  at("message").classList.add("empty");
  at("message").append(el("p", { class: "mut" }, "No message is chosen."));
  emergencies();
  spread();
  linksSection();
  positions();
  findings();
  receivers();
  nodes();
  capture();
  draw();
  listen();
  followAddress();
}

start();
