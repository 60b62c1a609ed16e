// The page's data, and the few helpers that everything else is made with. What came from the air gets
// into the page by textContent and by attributes of SVG geometry alone.

const D = JSON.parse(document.getElementById("data").textContent);
const M = D.marks;
const SVG = "http://www.w3.org/2000/svg";
const FLAG = { changed: 1, emergency: 2, ack: 4, local: 8, beacon: 16, cut: 32, refused: 64, unopened: 128, malformed: 256, carries: 512 };

function undelta(list) {
  let sum = 0;
  for (let i = 0; i < list.length; i++) list[i] = sum += list[i];
}
undelta(M.at);
undelta(M.frame);

/** An element with attributes and children; a string child is text. */
function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** An element of SVG. */
function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const key in attributes || {}) {
    if (attributes[key] !== undefined && attributes[key] !== null) node.setAttribute(key, typeof attributes[key] === "string" ? plain(attributes[key]) : attributes[key]);
  }
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === "") continue;
    node.append(typeof child === "object" ? child : plain(String(child)));
  }
  return node;
}

/** Text without what acts on a screen: controls, and characters that turn its direction. */
function plain(text) {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu, "\ufffd").replace(/(\p{M}{4})\p{M}+/gu, "$1\ufffd");
}

/** Puts text into an element that the page has already. */
function say(id, text) { at(id).textContent = plain(text); }

function at(id) { return document.getElementById(id); }

/** An SVG of a size in pixels that shrinks with its place; `label` is for screen readers. */
function drawing(width, height, label, ...children) {
  const attributes = { width, height, viewBox: `0 0 ${width} ${height}` };
  if (label) { attributes.role = "img"; attributes["aria-label"] = label; } else { attributes["aria-hidden"] = "true"; }
  return svg("svg", attributes, ...children);
}

function path(d, name) { return d ? svg("path", { d, class: name }) : null; }

/** The width that a section's content has. */
function room() { return Math.max(280, at("lanes").clientWidth || document.body.clientWidth - 40); }

function plural(count, noun) { return `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`; }

function grouped(number) { return String(number).replace(/\B(?=(\d{3})+$)/g, "\u202f"); }

function pad(number, size) { return String(number).padStart(size, "0"); }

/** A span of microseconds, cut off as the tool's text does: 633.5 ms, 12.3 s. */
function span(us) {
  if (us === undefined || us === null) return "–";
  if (us < 1e6) return `${(Math.floor(us / 100) / 10).toFixed(1)} ms`;
  return `${(Math.floor(us / 1e5) / 10).toFixed(1)} s`;
}

/** A longer span in words. */
function lasting(us) {
  const seconds = Math.floor(us / 1e6);
  if (seconds < 120) return span(us);
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor(seconds / 60) % 60} min`;
}

/** What the recorder's clock showed at a place of the axis. */
function civil(us) {
  let shift = 0;
  for (const [from, ahead] of D.steps) if (us >= from) shift = ahead;
  return new Date(Math.floor((D.start + us + shift) / 1000));
}

/** A clock time in UTC with 0 to 3 decimals. */
function clock(us, decimals = 3) {
  if (us === undefined || us === null || us < 0) return "–";
  if (!D.timed) return `message ${Math.round(us / 1e6)}`;
  const date = civil(us);
  if (isNaN(date)) return "–";
  let text = `${pad(date.getUTCHours(), 2)}:${pad(date.getUTCMinutes(), 2)}:${pad(date.getUTCSeconds(), 2)}`;
  if (decimals) text += "." + pad(date.getUTCMilliseconds(), 3).slice(0, decimals);
  return text;
}

function day(us) {
  const date = civil(us);
  return isNaN(date) ? "" : date.toISOString().slice(0, 10);
}

function shorten(text, limit) {
  const letters = Array.from(text);
  return letters.length > limit ? letters.slice(0, limit - 1).join("") + "…" : text;
}

/** A node as people call it. */
function name(place, limit = 24) {
  const node = D.nodes[place];
  return node ? shorten(node.name || node.id, limit) : "not known";
}

/** A file's name without its folders. */
function fileName(place) { return D.files[place] ? D.files[place].name.split("/").pop() : ""; }

/** How a frame is named in links: with the number of its capture where there are several. */
function frameKey(file, frame) { return D.files.length > 1 ? `${file + 1}.${frame}` : `${frame}`; }

function frameLink(file, frame, text) {
  return el("a", { href: `#frame=${frameKey(file, frame)}` }, text || frameKey(file, frame));
}

function frameLinks(file, frames, limit = 8) {
  const out = [];
  frames.slice(0, limit).forEach((frame, i) => { if (i) out.push(" "); out.push(frameLink(file, frame)); });
  if (frames.length > limit) out.push(` and ${frames.length - limit} more`);
  return out;
}

/** A table; columns are [title, class]. */
function table(columns, rows, options = {}) {
  const head = el("tr", null, columns.map(([title, kind]) => el("th", { scope: "col", class: kind }, title)));
  const body = rows.map(row => el("tr", null, row.map((cell, i) => {
    const [title, kind] = columns[i];
    const label = options.labels && kind !== "full" ? title : undefined;
    return i === 0 && options.headed
      ? el("th", { scope: "row", class: kind }, cell)
      : el("td", { class: kind, "data-label": label }, cell);
  })));
  return el("div", { class: "scroll", tabindex: options.scrolls ? "0" : undefined },
    el("table", { class: options.class || "stack" },
      options.caption ? el("caption", null, options.caption) : null,
      el("thead", null, head), el("tbody", null, body)));
}

const find = (() => {
  let places;
  /** The place of a message by capture and frame; -1 where the page does not have it. */
  return (file, frame) => {
    if (!places) {
      places = new Map();
      for (let i = M.count - 1; i >= 0; i--) places.set((M.file ? M.file[i] : 0) + "." + M.frame[i], i);
    }
    return places.has(file + "." + frame) ? places.get(file + "." + frame) : -1;
  };
})();

const links = new Map(D.links.map(link => [link.id, link]));

/** The nodes at both ends of a message's link, sender first. */
function ends(i) {
  const link = links.get(M.link[i]);
  if (!link) return [-1, -1];
  return M.flags[i] & FLAG.local ? [link.a, link.b] : [link.b, link.a];
}
