// Moving about in the timeline, and the message that is chosen, with its bytes.

function show(from, to) {
  const least = D.timed ? 2000 : 2e6, whole = D.span * 1.04 + 2;
  let width = Math.min(Math.max(to - from, least), whole), middle = (from + to) / 2;
  view.from = Math.min(Math.max(middle - width / 2, -D.span * 0.02 - 1), D.span * 1.02 + 1 - width);
  view.to = view.from + width;
  schedule();
}

function showAll() { show(-D.span * 0.02 - 1, D.span * 1.02 + 1); }

function zoom(factor, around) {
  const middle = around === undefined ? (view.chosen >= 0 && M.at[view.chosen] >= view.from && M.at[view.chosen] <= view.to ? M.at[view.chosen] : (view.from + view.to) / 2) : around;
  show(middle - (middle - view.from) * factor, middle + (view.to - middle) * factor);
}

let isScheduled = false;
function schedule() {
  if (isScheduled) return;
  isScheduled = true;
  requestAnimationFrame(() => { isScheduled = false; draw(); });
}

/** Chooses a message; the address tells it, so that it can be sent to somebody. */
function choose(i, moves) {
  view.chosen = i;
  const us = M.at[i];
  if (moves || us < view.from || us > view.to) {
    const width = moves ? Math.min(view.to - view.from, closeUp(i)) : view.to - view.from;
    show(us - width / 2, us + width / 2);
  }
  schedule();
  tell(i);
  history.replaceState(null, "", `#frame=${frameKey(M.file ? M.file[i] : 0, M.frame[i])}`);
}

/** A view that holds about forty messages around one. */
function closeUp(i) {
  const from = M.at[Math.max(0, i - 20)], to = M.at[Math.min(M.count - 1, i + 20)];
  return Math.max(to - from, 2e4);
}

function step(by) {
  if (!M.count) return;
  let next = view.chosen < 0 ? (by > 0 ? firstAt(view.from) : firstAt(view.to + 1) - 1) : view.chosen + by;
  choose(Math.min(Math.max(next, 0), M.count - 1), false);
}

/** The message nearest to a place of the drawing. */
function nearest(px, py) {
  const reach = moment(px + 14) - moment(px), us = moment(px);
  let best = -1, least = 15;
  for (let i = firstAt(us - reach), end = firstAt(us + reach); i < end; i++) {
    const place = lane(i);
    if (place < 0) continue;
    const distance = Math.hypot(x(M.at[i]) - px, (lanes[place].y - py) / 1.6);
    if (distance < least) { least = distance; best = i; }
  }
  return best;
}

function words(i) { return M.kinds[M.kind[i]].replace(/_/g, " "); }

/** A message in a line. */
function brief(i) {
  const who = M.node[i] >= 0 ? name(M.node[i]) : "a node that is not known";
  return `${clock(M.at[i])} ${words(i)} of ${who}, ${M.bytes[i]} bytes, frame ${frameKey(M.file ? M.file[i] : 0, M.frame[i])}${M.news[i] ? `: ${M.news[i]}` : M.flags[i] & FLAG.changed ? "" : ", nothing new"}`;
}

/** What is under the pointer, in a line: a message, a link, or a hazard. */
function under(px, py) {
  const i = nearest(px, py);
  if (i >= 0) return brief(i);
  const us = moment(px), row = rowsOfLinks[Math.floor((py - stage.linksFrom) / 18)];
  if (row && py >= stage.linksFrom) {
    const life = row.lives.find(life => us >= life.from && us <= life.until);
    if (life) return `Link ${life.id} ${linkLabel(life)}: ${life.opens ? "up " + clock(life.from) : "up before the capture"}, ${life.ends ? `down ${clock(life.until)}: ${life.reason}` : "still up at the capture's end"}`;
    const before = row.lives.filter(life => life.until < us).pop();
    return before ? `Down since ${clock(before.until)}: ${before.reason || "not recorded"}` : "";
  }
  const slack = moment(px + 4) - us;
  const hazard = D.hazards.find(hazard => us >= hazard.at - slack && us <= hazard.until + slack);
  return hazard ? `${clock(hazard.at)} ${hazard.text}` : "";
}

function tell(i) {
  const file = M.file ? M.file[i] : 0, flags = M.flags[i], [sender, receiver] = ends(i), link = links.get(M.link[i]);
  const end = (node, address) => node >= 0 ? name(node) : address || "a device without a name";
  const way = link ? `from ${end(sender, flags & FLAG.local ? link.local : link.peer)} to ${end(receiver, flags & FLAG.local ? link.peer : link.local)}, link ${link.id}` : "heard in advertising";
  const facts = [];
  const add = (title, ...content) => facts.push(el("dt", null, title), el("dd", null, ...content));
  add("When", D.timed ? `${day(M.at[i])} ${clock(M.at[i])} UTC, ${span(M.at[i])} after the first packet` : clock(M.at[i]));
  add("Way", `${M.opcodes[M.opcode[i]].replace(/_/g, " ")} ${way}${M.latency[i] !== undefined ? `; it took ${span(M.latency[i])}` : ""}`);
  if (M.version[i] >= 0) add("Version", String(M.version[i]));
  if (M.news[i]) add("First to show", M.news[i]);
  else add("News", flags & FLAG.changed ? "it changed the joined state" : "none: everything in it was known");
  if (M.outcome[i]) add("Outcome", `the write was ${M.outcome[i]}`);
  if (flags & FLAG.unopened) add("Encrypted", "no known key opened it");
  if (M.findings[i]) add("Findings", M.findings[i]);
  for (const place of M.receivers[i] || []) add(`${D.receivers[place].name} receivers`, D.receivers[place].text);
  const box = at("message");
  box.classList.remove("empty");
  box.replaceChildren(
    el("h3", null, `${words(i)} of ${M.node[i] >= 0 ? name(M.node[i]) : "a node that is not known"}, ${M.bytes[i]} bytes, frame ${frameKey(file, M.frame[i])}${D.files.length > 1 ? ` (${fileName(file)})` : ""}`),
    el("dl", { class: "facts" }, facts), ...bytes(M.payload[i]));
}

/** A frame that the page has no message for. */
function missing(file, frame) {
  const box = at("message"), path = D.files[file] ? D.files[file].name : "FILE";
  box.classList.remove("empty");
  box.replaceChildren(el("h3", null, `Frame ${frameKey(file, frame)}`),
    el("p", null, `The page has no message of this frame: it opens or ends a link, or is one of those that are drawn as counts. `, el("code", null, `tshark -V -r '${path.replace(/'/g, "'\\''")}' -Y frame.number==${frame}`), " shows the packet."));
}

/** The number of a field's bytes. */
function number(part, isBig) {
  let value = 0n;
  for (let i = 0; i < part.length; i++) value = value << 8n | BigInt(part[isBig ? i : part.length - 1 - i]);
  return value;
}

function date(ms) {
  if (ms < 946684800000n || ms >= 4102444800000n) return String(ms);
  return `${ms} (${new Date(Number(ms)).toISOString().replace("T", " ").replace("Z", " UTC")})`;
}

/** What a field says; how its bytes are read comes with the layout. */
function value(part, form, label) {
  switch (form) {
    case "u": return String(number(part, false));
    case "U": return String(number(part, true));
    case "n": case "N": {
      const id = number(part, form === "N").toString(16).toUpperCase().padStart(8, "0");
      const node = D.nodes.find(node => node.id === id);
      return node && node.name ? `${id} ${name(D.nodes.indexOf(node))}` : id;
    }
    case "t": return date(number(part, false));
    case "f": return part.length === 4 ? String(parseFloat(new DataView(part.buffer, part.byteOffset, 4).getFloat32(0, true).toPrecision(9))) : "";
    case "s": {
      const zero = part.indexOf(0);
      return `"${new TextDecoder().decode(zero < 0 ? part : part.subarray(0, zero))}"`;
    }
    case "e": case "E": {
      const raw = String(number(part, form === "E")), names = D.spellings[label.replace(/\[\d+\]/, "")];
      return names && names[raw] || raw;
    }
    default: return part.length === 1 ? "1 byte" : `${part.length} bytes`;
  }
}

function bytes(place, depth = 0) {
  const payload = D.payloads[place];
  if (!payload) return [el("p", { class: "mut" }, "Its bytes are not on the page.")];
  const data = Uint8Array.from(atob(payload[0]), letter => letter.charCodeAt(0));
  const layout = D.layouts[payload[1]], extra = payload[2] || { notes: [], remarks: [] };
  const notes = new Map();
  for (let i = 0; i < extra.notes.length; i += 2) notes.set(extra.notes[i], [...(notes.get(extra.notes[i]) || []), extra.notes[i + 1]]);
  const rows = [];
  for (let i = 0; i < layout.length; i += 4) {
    const [offset, size, label, form] = [layout[i], layout[i + 1], D.labels[layout[i + 2]], layout[i + 3]];
    const part = data.subarray(offset, offset + size), shown = Array.from(part.subarray(0, 32), byte => pad(byte.toString(16), 2)).join(" ");
    const said = (notes.get(i / 4) || []).map(note => el("div", { class: "note" }, note));
    rows.push([String(offset), el("span", { class: "mono" }, shown + (size > 32 ? ` … ${size - 32} more` : "")), label, [label ? value(part, form, label) : "", ...said]]);
  }
  const out = extra.remarks.map(remark => el("p", null, remark));
  out.push(el("div", { class: "bytes", tabindex: "0", role: "group", "aria-label": depth ? "Bytes of what it wraps" : "Bytes of the message" },
    table([["Offset", "num"], ["Bytes", "raw"], ["Field", ""], ["Says", ""]], rows, { class: "plain" })));
  if (extra.length > data.length) out.push(el("p", { class: "mut" }, `The first ${data.length} of ${extra.length} bytes.`));
  if (extra.inner !== undefined && depth < 4) out.push(el("h3", null, "What it wraps"), ...bytes(extra.inner, depth + 1));
  return out;
}
