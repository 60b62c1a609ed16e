// The head, the answers, emergencies, and how updates spread.

function head() {
  say("name", D.files.length === 1 ? fileName(0) : D.files.length ? `${D.files.length} captures of one mesh` : "No capture");
  const parts = [];
  if (D.timed || D.date) parts.push(`${D.date || ""}, ${clock(0, 0)} to ${clock(D.span, 0)} UTC (${lasting(D.span)})`);
  const packets = D.files.reduce((sum, file) => sum + file.packets, 0);
  parts.push(`${plural(D.messages, "Peat message")} of ${plural(D.heard, "node")} in ${plural(packets, "packet")}`);
  say("sub", `${parts.join(". ")}.`);
  for (const section of document.querySelectorAll("main > section[aria-labelledby]")) {
    if (!section.hidden) at("nav").append(el("a", { href: `#${section.id}` }, section.firstElementChild.textContent));
  }
}

function answers() {
  at("answers").append(el("ul", { class: "cards" }, D.answers.map(card =>
    el("li", { class: `card answer is-${card.verdict}` },
      el("span", { class: `verdict v-${card.verdict}` }, card.verdict),
      el("div", null, el("p", { class: "ask" }, card.question), el("h3", null, card.title), el("p", null, card.text),
        el("a", { href: card.link, "aria-label": `Show the evidence: ${card.title}` }, "Show the evidence"))))));
}

const OUTCOMES = { source: "raised it", acked: "acknowledged", carried: "got it, never acknowledged", not_reached: "did not get it", unknown: "cannot be seen" };
const ORDER = { not_reached: 0, carried: 1, unknown: 2, source: 3, acked: 4 };

function emergencies() {
  const section = at("emergencies");
  if (!D.emergencies.length) { section.append(el("p", { class: "mut" }, D.messages ? "No document carries an emergency." : "Nothing was seen.")); return; }
  D.emergencies.forEach((emergency, i) => section.append(story(emergency, i)));
}

function story(emergency, i) {
  const audience = emergency.nodes.filter(node => node.audience);
  const rest = emergency.nodes.filter(node => !node.audience);
  const start = bandOf(emergency)[0], isDone = emergency.acked >= emergency.audience;
  const sorted = audience.slice().sort((a, b) => ORDER[a.outcome] - ORDER[b.outcome] || lastOf(a) - lastOf(b));
  const longest = Math.max(1e5, ...audience.map(node => lastOf(node) - start));
  const where = emergency.raised_by === "stamp" ? `by the source's own stamp, first seen ${clock(emergency.first[0])}` : "by its first sighting";
  const rows = sorted.map(node => [
    el("b", null, name(node.node)),
    el("span", { class: `tag o-${node.outcome}` }, OUTCOMES[node.outcome]),
    ladder(node, start, longest),
    node.carried ? [clock(node.carried[0]), ", ", frameLink(node.carried[1], node.carried[2]), node.by !== undefined ? el("div", { class: "mut" }, `told by ${name(node.by)}`) : ""] : "–",
    node.acked ? [clock(node.acked[0]), ", ", frameLink(node.acked[1], node.acked[2]), node.through !== node.node ? el("div", { class: "mut" }, `seen through ${name(node.through)}`) : ""] : "–",
    node.text ? [`${node.text}. `, node.frames && node.frames.length ? ["Frames ", frameLinks(node.file || 0, node.frames)] : ""] : "",
  ]);
  const downs = emergency.nodes.flatMap(node => (node.down || []).map(gap => [node, gap])).filter(([, gap]) => gap.until !== undefined || D.span - gap.from > 3e6);
  return el("article", { class: `card emergency${isDone ? "" : " fails"}`, id: `emergency-${i + 1}` },
    el("h3", null, `Emergency ${i + 1}: raised by ${name(emergency.source)} at ${clock(start)}. ${emergency.acked} of ${emergency.audience} acknowledged it${emergency.last_ack !== undefined && emergency.acked > 1 ? `, the last after ${seconds(emergency.last_ack - start)}` : ""}.`),
    el("p", { class: "mut" }, `${emergency.type}${emergency.mesh ? `, mesh ${emergency.mesh}` : ""}; raised ${where}, frame `, frameLink(emergency.first[1], emergency.first[2]), `.${emergency.ending ? ` It was ${emergency.ending}.` : ""} `, el("a", { href: `#emergency=${i + 1}` }, "Show it in the timeline")),
    table([["Node", ""], ["Outcome", ""], [`0 to ${seconds(longest)}`, "wide"], ["Knew, frame", "when"], ["Acknowledged, frame", "when"], ["Why", "full"]], rows, { labels: true }),
    el("p", { class: "hint" }, "Dot: its own document carried it. Tick mark: its acknowledgement was seen. Nodes without a dot were not heard to carry it; others' documents show their acknowledgement."),
    downs.length ? el("div", null, el("h3", null, "Links that were down meanwhile"), el("ul", null, downs.map(([node, gap]) =>
      el("li", null, `${name(node.node)}${gap.other >= 0 ? ` from ${name(gap.other)}` : ""}: ${clock(gap.from)} ${gap.until !== undefined ? `to ${clock(gap.until)}` : "on"}${gap.reason ? `, ${gap.reason}` : ""}. Frames `, frameLinks(gap.file, gap.frames))))) : null,
    rest.length ? el("p", { class: "mut" }, `${shorten(rest.map(node => name(node.node)).join(", "), 300)}: known only from others' counters; whether they heard it cannot be seen.`) : null);
}

/** Seconds as the verdicts of the tool write them. */
function seconds(us) { return `${(Math.floor(us / 1e5) / 10).toFixed(1)} s`; }

function lastOf(node) { return Math.max(node.acked ? node.acked[0] : 0, node.carried ? node.carried[0] : 0); }

function ladder(node, start, longest) {
  const width = 170, px = us => 8 + Math.min(1, Math.max(0, us - start) / longest) * (width - 18);
  const root = drawing(width, 20, null);
  root.append(path(`M8 10H${width - 10}`, "grid"));
  if (node.carried && node.carried[0] >= 0) {
    if (node.acked) root.append(path(`M${round(px(node.carried[0]))} 10H${round(px(node.acked[0]))}`, "wait"));
    root.append(svg("circle", { class: "knew", cx: round(px(node.carried[0])), cy: 10, r: 4 }));
  }
  if (node.acked && node.acked[0] >= 0) root.append(path(`M${round(px(node.acked[0]) - 4)} 10l3 4l6 -9`, "tickmark"));
  return root;
}

function colour(us) { return us < 1e6 ? 0 : us < 3e6 ? 1 : us < 6e6 ? 2 : us < 12e6 ? 3 : 4; }

function spread() {
  const section = at("spread"), S = D.spread;
  if (!S.updates) { section.append(el("p", { class: "mut" }, "No update was seen that could spread.")); return; }
  const told = S.complete + S.partial;
  section.append(el("p", null, `${plural(S.updates, "update")}: ${grouped(S.complete)} became known to every other node that had been heard by then, ${grouped(S.partial)} did not, ${grouped(S.alone)} came when no other node had been heard. ${S.delay ? `A node knows one after ${span(S.delay[0])} (median), ${span(S.delay[1])} (95%), ${span(S.delay[2])} (worst). ` : ""}${S.all ? `All know it after ${span(S.all[0])} (median), ${span(S.all[1])} (95%), ${span(S.all[2])} (worst).` : ""}`));
  if (S.incomplete) section.append(el("p", { class: "note" }, "More updates or nodes than are followed: the first count."));
  if (!told) return;
  section.append(table([["Node", ""], ["Own updates", "num"], ["Learnt", "num"], ["Missed", "num"], ["Median", "num"], ["95%", "num"], ["Worst", "num"]],
    S.learning.slice(0, 60).map(node => [el("b", null, name(node.node)), grouped(node.updates), grouped(node.learnt), grouped(node.missed), ...(node.delay && node.delay[2] ? node.delay.map(span) : ["–", "–", "–"])]), { labels: true }),
    el("p", { class: "hint" }, "Learnt: updates of others that the node's own documents came to show. Missed: those after its own first document that they never did."));
  matrix(section, S);
  strip(section, S);
  lag(section);
}

function matrix(section, S) {
  if (!S.rows.length || !S.columns.length) return;
  const rows = S.rows.map((row, r) => [name(row, 14), ...S.columns.map((column, c) => {
    const [median, p95, count, brought] = S.cells[r * S.columns.length + c];
    if (row === column) return ["–", null];
    if (count) return [[short(median), el("small", null, short(p95))], `c${colour(median)}`, `${plural(count, "update")}${brought ? `, ${brought} more were first seen in its own message` : ""}`];
    return brought ? [el("small", null, "brought it"), null] : ["·", null];
  })]);
  section.append(el("h3", null, "Who learnt of whom how fast"),
    el("p", { class: "hint" }, "Seconds until the node of the row showed what the node of the column had done: median, below it the 95th percentile. Brought it: its own message was the first to show it."), el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Matrix of delays" }, el("table", { class: "matrix" },
    el("thead", null, el("tr", null, el("td", null, el("span", { class: "sr" }, "Node")), S.columns.map(column => el("th", { scope: "col" }, name(column, 12))))),
    el("tbody", null, rows.map(([title, ...cells]) => el("tr", null, el("th", { scope: "row" }, title), cells.map(([text, kind, hint]) => el("td", { class: kind, title: hint }, text))))))),
    el("p", { class: "scale" }, ["under 1 s", "1 to 3 s", "3 to 6 s", "6 to 12 s", "over 12 s"].map((text, i) => el("span", { class: `c${i}` }, text))));
}

function short(us) { return (Math.floor(us / 1e5) / 10).toFixed(1); }

function strip(section, S) {
  if (!S.strips.length || !S.strips[0]) return;
  const width = room(), left = width < 620 ? 82 : 112, high = 14, columns = S.strips[0].length, step = (width - left - 4) / columns;
  const root = drawing(width, S.rows.length * high + 20, "Every update in the order of time: how late each node knew it");
  S.rows.forEach((row, r) => {
    const d = {};
    for (let i = 0; i < columns; i++) {
      const letter = S.strips[r][i];
      if (letter === ".") continue;
      d[letter] = (d[letter] || "") + `M${round(left + i * step)} ${r * high}h${Math.max(0.6, Math.round(step * 100) / 100)}v${high - 2}h${-Math.max(0.6, Math.round(step * 100) / 100)}z`;
    }
    for (const letter in d) root.append(path(d[letter], letter === "x" ? "miss" : `r${letter}`));
    root.append(svg("text", { class: "tick", x: 8, y: r * high + 11 }, name(row, width < 620 ? 10 : 14)));
  });
  root.append(svg("text", { class: "tick", x: left, y: S.rows.length * high + 14 }, "first update"));
  root.append(svg("text", { class: "tick", x: width - 74, y: S.rows.length * high + 14 }, "last update"));
  section.append(el("h3", null, "Every update, in time"), root,
    el("p", { class: "hint" }, `One column ${S.per_column > 1 ? `for ${S.per_column} updates, the latest of them` : "an update"}, in the colours above. Red: never known by the end. Empty: its own, or the node had not been heard yet.`));
}

function lag(section) {
  const shown = D.nodes.map((node, i) => [node, i]).filter(([node]) => node.lag && node.lag.length > 1).slice(0, 24);
  if (!shown.length || !D.timed) return;
  const width = room(), left = width < 620 ? 82 : 112, high = 34;
  const root = drawing(width, shown.length * high + 8, "How far each node's counters were behind the mesh, in time");
  shown.forEach(([node, i], row) => {
    let worst = 1;
    for (let k = 1; k < node.lag.length; k += 2) worst = Math.max(worst, node.lag[k]);
    const base = row * high + high - 6, px = us => left + us / D.span * (width - left - 44), py = behind => base - behind / worst * (high - 12);
    let d = "";
    for (let k = 0; k < node.lag.length; k += 2) d += k ? `H${round(px(node.lag[k]))}V${round(py(node.lag[k + 1]))}` : `M${round(px(node.lag[0]))} ${round(py(node.lag[1]))}`;
    root.append(path(`M${left} ${base}H${width - 44}`, "grid"), path(`${d}H${width - 44}`, "line"));
    root.append(svg("text", { class: "tick", x: 8, y: base }, name(i, width < 620 ? 10 : 14)), svg("text", { class: "tick", x: width - 40, y: base - high + 18 }, grouped(worst)));
  });
  section.append(el("h3", null, "How far each node was behind the mesh"), root,
    el("p", { class: "hint" }, "Steps that the mesh had counted and the node's own documents did not yet show; on the right the most."));
}
